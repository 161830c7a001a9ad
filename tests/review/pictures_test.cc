#include "review/pictures.h"

#include <fmt/format.h>

#include "formats/npy.h"
#include "testing.h"

namespace spml::review {
namespace {

using testing::HasSubstr;

using namespace std::string_literals;

// The least that is in order: a size, the beginning of a scan, the end.
const std::string kJpeg = "\xff\xd8\xff\xc0\0\4ab\xff\xda\0\2 scan \xff\xd9"s;
const std::string kPng = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR the rest \0\0\0\0IEND\xae\x42\x60\x82"s;

struct PicturesTest : testing::Test {
  TemporaryFolder folder;
  Dataset data;
  int made = 0;

  void SetUp() override {
    const std::vector<std::string> names = {"a.jpg", "b.png", "notes.txt", "missing.jpg"};
    write_npy(images_file(folder.path(), "train"), std::span<const std::string>(names));
    write_file(folder / "a.jpg", kJpeg);
    write_file(folder / "b.png", kPng);
    write_file(folder / "notes.txt", "<script>alert(1)</script>");
    data.folder = folder.path();
    data.train_file.images = NpyArray(images_file(folder.path(), "train"));
  }
  MakeThumbnail maker() {
    return [this](const std::string&, int side) {
      ++made;
      return std::string(static_cast<size_t>(side), 'x');
    };
  }
};

TEST_F(PicturesTest, AreAsTheyAreWithoutAMaker) {
  Pictures pictures(data, {});
  EXPECT_EQ(pictures.get(0, 320).bytes, kJpeg);
  EXPECT_EQ(pictures.get(0, 320).type, "image/jpeg");
  EXPECT_EQ(pictures.get(1, 320).type, "image/png");
}

TEST_F(PicturesTest, AreMadeOnceForEachSize) {
  Pictures pictures(data, maker());
  EXPECT_EQ(pictures.get(0, 320).bytes.size(), 320u);
  EXPECT_EQ(pictures.get(0, 320).bytes.size(), 320u);
  EXPECT_EQ(pictures.get(0, 160).bytes.size(), 160u);
  EXPECT_EQ(made, 2);
}

// What only begins like an image would be served as it is to whoever asks for its full size.
TEST_F(PicturesTest, AreNeverServedAsTheyAreWhereTheyCanBeMade) {
  Pictures pictures(data, [](const std::string& bytes, int side) {
    return fmt::format("made of {} bytes, {}", bytes.size(), side);
  });
  EXPECT_EQ(pictures.get(0, 0).bytes, fmt::format("made of {} bytes, 0", kJpeg.size()));
  EXPECT_EQ(pictures.get(0, 0).type, "image/jpeg");
  EXPECT_EQ(pictures.cached_bytes(), 0u);  // as large as they may be
}

TEST_F(PicturesTest, ThatOnlyBeginLikeOneAreNotServed) {
  for (const std::string& start :
       {"\xff\xd8\xff"s, "\xff\xd8\xff\xe0<script>"s, "\xff\xd8\xff\xe0\0\4ab"s,
        kJpeg.substr(0, kJpeg.size() - 1), "\xff\xd8\xff\xda\0\2 scan \xff\xd9"s, kPng + "x",
        kPng.substr(0, 12) + kPng.substr(13), "\x89PNG\r\n\x1a\n"s}) {
    write_file(folder / "a.jpg", start);
    Pictures pictures(data, {});
    EXPECT_SPML_ERROR(pictures.get(0, 0), HasSubstr("a.jpg: damaged image"));
  }
}

TEST_F(PicturesTest, LeaveTheCacheOldestFirst) {
  Pictures pictures(data, maker(), 1000);
  pictures.get(0, 480);
  pictures.get(1, 480);
  pictures.get(0, 480);  // used again: the other is the oldest now
  pictures.get(0, 240);
  EXPECT_LE(pictures.cached_bytes(), 1000u);
  made = 0;
  pictures.get(0, 480);
  EXPECT_EQ(made, 0);
  pictures.get(1, 480);
  EXPECT_EQ(made, 1);
}

TEST_F(PicturesTest, OtherFilesAreNotEvenRead) {
  std::filesystem::resize_file(folder / "notes.txt", size_t{300} << 20);  // a hole
  Pictures pictures(data, {});
  EXPECT_SPML_ERROR(pictures.get(2, 0), HasSubstr("expected a JPEG or PNG image"));
  std::filesystem::resize_file(folder / "a.jpg", size_t{300} << 20);
  EXPECT_SPML_ERROR(pictures.get(0, 0), HasSubstr("expected at most"));
}

TEST_F(PicturesTest, OtherFilesAndMissingOnesAreNotServed) {
  Pictures pictures(data, {});
  EXPECT_SPML_ERROR(pictures.get(2, 0), HasSubstr("expected a JPEG or PNG image"));
  EXPECT_SPML_ERROR(pictures.get(3, 0), HasSubstr("missing.jpg"));
  EXPECT_SPML_ERROR(pictures.get(4, 0), HasSubstr("expected a row below 4"));
}

}  // namespace
}  // namespace spml::review
