#include "vision/activation_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

constexpr size_t kNumbers = 100;

class Activations : public testing::Test {
 protected:
  Activations() {
    for (const char* name : {"a.jpg", "b.jpg"}) {
      images_.push_back(folder_ / name);
      write_file(images_.back(), name);
    }
    for (size_t i = 0; i < kNumbers; ++i) numbers_.push_back(static_cast<uint16_t>(i * 7 + 1));
  }

  ActivationCache open() { return {folder_ / "cache", "layer4", images_, kNumbers}; }
  bool has(size_t row, bool mirrored) {
    std::vector<uint16_t> found(kNumbers);
    return open().read(row, mirrored, found) && found == numbers_;
  }
  Path file(const char* name = "plain.f16") { return folder_ / "cache/layer4" / name; }

  TemporaryFolder folder_;
  std::vector<Path> images_;
  std::vector<uint16_t> numbers_;
};

TEST_F(Activations, ComeBackAsTheyWere) {
  EXPECT_FALSE(has(0, false));
  open().write(1, false, numbers_);
  EXPECT_TRUE(has(1, false));
  EXPECT_FALSE(has(0, false));  // a hole in the file
  EXPECT_FALSE(has(1, true));
  open().write(1, true, numbers_);
  EXPECT_TRUE(has(1, true));
}

TEST_F(Activations, AnEntryThatWasCutOffIsNotThere) {
  open().write(0, false, numbers_);
  const auto size = std::filesystem::file_size(file());
  for (const size_t kept : {size - 1, size - 8, size / 2, size_t{1}, size_t{0}}) {
    std::filesystem::resize_file(file(), kept);
    EXPECT_FALSE(has(0, false)) << kept;
  }
  open().write(0, false, numbers_);
  EXPECT_TRUE(has(0, false));
}

TEST_F(Activations, AChangedByteIsNoticed) {
  open().write(0, false, numbers_);
  const auto size = std::filesystem::file_size(file());
  for (size_t at = 0; at < size; at += 13) {
    const int fd = ::open(file().c_str(), O_RDWR);
    char byte = 0;
    ASSERT_EQ(::pread(fd, &byte, 1, static_cast<off_t>(at)), 1);
    byte = static_cast<char>(byte ^ 4);
    ASSERT_EQ(::pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
    EXPECT_FALSE(has(0, false)) << at;
    byte = static_cast<char>(byte ^ 4);
    ASSERT_EQ(::pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
    ::close(fd);
  }
  EXPECT_TRUE(has(0, false));
}

TEST_F(Activations, AnImageThatChangedHasNone) {
  open().write(0, false, numbers_);
  write_file(images_[0], "another picture");
  EXPECT_FALSE(has(0, false));
}

TEST_F(Activations, OfAnotherImageAreNotTaken) {
  open().write(0, false, numbers_);
  images_[0] = images_[1];
  EXPECT_FALSE(has(0, false));
}

TEST_F(Activations, LinksAreRefused) {
  open();
  write_file(folder_ / "precious", "mine");
  std::filesystem::remove(file());
  std::filesystem::create_symlink(folder_ / "precious", file());
  EXPECT_SPML_ERROR(open(), HasSubstr("plain.f16"));
  std::filesystem::remove(file());
  std::filesystem::create_hard_link(folder_ / "precious", file());
  EXPECT_SPML_ERROR(open(), HasSubstr("expected a file of its own"));
  EXPECT_EQ(read_file(folder_ / "precious"), "mine");
}

TEST_F(Activations, AreRemovedWithTheirFolderAndNothingElse) {
  open().write(0, false, numbers_);
  write_file(folder_ / "cache/notes.txt", "kept");
  remove_activations(folder_ / "cache");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache/layer4"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "cache/notes.txt"));
  std::filesystem::remove(folder_ / "cache/notes.txt");
  open().write(0, false, numbers_);
  remove_activations(folder_ / "cache");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
  remove_activations(folder_ / "cache");  // nothing there: nothing to do
}

TEST_F(Activations, SizesAreKnownBefore) {
  const uint64_t announced = ActivationCache::bytes(images_.size(), kNumbers);
  for (const bool mirrored : {false, true}) {
    for (size_t row = 0; row < 2; ++row) open().write(row, mirrored, numbers_);
  }
  EXPECT_EQ(std::filesystem::file_size(file()) + std::filesystem::file_size(file("mirrored.f16")),
            announced);
  EXPECT_GT(free_disk_space(folder_ / "not/yet/there"), 0u);
}

}  // namespace
}  // namespace spml
