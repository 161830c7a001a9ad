#include <algorithm>

#include "base/folders.h"
#include "base/numpy_random.h"
#include "formats/npy.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Six training and four test images in two concepts; names with backslashes, one repeated, one
// without any label.
class NusTree : public ::testing::Test {
 protected:
  NusTree() {
    put(folder / "ImageList" / "TrainImagelist.txt",
        "actor\\a.jpg "
        "\r\nactor\\b.jpg\r\nsky\\c.jpg\r\nsky\\d.jpg\r\nsky\\e.jpg\r\nsky\\f.jpg\r\n");
    put(folder / "ImageList" / "TestImagelist.txt",
        "sky\\g.jpg\nsky\\h.jpg\nsky\\i.jpg\nsky\\c.jpg\n");
    put(labels_folder / "Labels_sky_Train.txt", "0\n0 \n1\n1\n1\n0\n");
    put(labels_folder / "Labels_sky_Test.txt", "1\n1\n1\n1\n");
    put(labels_folder / "Labels_animal_Train.txt", "1\n1\n1\n0\n0\n0\n");
    put(labels_folder / "Labels_animal_Test.txt", "0\n0\n1\n1\n");
  }
  TemporaryFolder folder;
  Path labels_folder = folder / "Groundtruth" / "TrainTestLabels";
};

std::vector<std::string> all_names(const ImportedSet& set) {
  std::vector<std::string> all = names(set.train), test = names(set.test);
  all.insert(all.end(), test.begin(), test.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST_F(NusTree, MergesAndDividesByTheSeededPermutation) {
  const ImportedSet set = import_nus(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("animal", "sky"));
  const std::vector<std::string> merged = {"actor/a.jpg", "actor/b.jpg", "sky/c.jpg",
                                           "sky/d.jpg",   "sky/e.jpg",   "sky/f.jpg",
                                           "sky/g.jpg",   "sky/h.jpg",   "sky/i.jpg"};
  EXPECT_EQ(all_names(set), merged);
  auto order = NumpyRandom(1200).permutation(merged.size());
  std::sort(order.begin(), order.begin() + 6);  // round(9 * 150000 / 210260) = 6
  std::vector<std::string> expected;
  for (size_t i = 0; i < 6; ++i) expected.push_back(merged[static_cast<size_t>(order[i])]);
  EXPECT_EQ(names(set.train), expected);
  EXPECT_EQ(set.test.size(), 3u);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("1 images are listed twice")));
  EXPECT_NE(names(import_nus(folder.path(), {.seed = 1}).train), expected);
}

TEST_F(NusTree, RowsWithoutPositiveStay) {
  const ImportedSet set = import_nus(folder.path(), {.train_rows = 9});
  EXPECT_EQ(labels(set.train), (Labels{{0}, {0}, {0, 1}, {1}, {1}, {}, {1}, {1}, {0, 1}}));
  EXPECT_EQ(report_import(set).train.rows_without_positive, 1u);
  EXPECT_SPML_ERROR(import_nus(folder.path(), {.train_rows = 10}), HasSubstr("at most 9"));
}

TEST_F(NusTree, ImagesMissingOnDiskAreSkippedAndCounted) {
  put(folder / "Flickr" / "actor" / "a.jpg", "");
  put(folder / "Flickr" / "sky" / "h.jpg", "");
  const ImportedSet set = import_nus(folder.path());
  EXPECT_THAT(all_names(set), ElementsAre("actor/a.jpg", "sky/h.jpg"));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("8 of 10 listed images are not in")));
  EXPECT_EQ(set.image_root, folder / "Flickr");
  EXPECT_EQ(all_names(import_nus(folder.path(), {.images = {.allow_missing = true}})).size(), 9u);
}

TEST_F(NusTree, AFolderWithoutAnyOfTheImagesIsAnError) {
  make_folder(folder / "elsewhere");
  EXPECT_SPML_ERROR(import_nus(folder.path(), {.images = {.root = folder / "elsewhere"}}),
                    HasSubstr("none of the 10 listed images"));
  EXPECT_SPML_ERROR(import_nus(folder.path(), {.images = {.root = folder / "nowhere"}}),
                    HasSubstr("expected the folder of the images"));
}

TEST_F(NusTree, BadFilesAreRefusedWithTheirLine) {
  put(labels_folder / "Labels_sky_Test.txt", "1\n1\nx\n1\n");
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("Labels_sky_Test.txt:3: expected 0 or 1"));
  put(labels_folder / "Labels_sky_Test.txt", "1\n1\n");
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("expected 4 lines"));
  put(labels_folder / "Labels_sky_Test.txt", "1\n1\n1\n1\n1\n");
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("Labels_sky_Test.txt:5: expected 4"));
  std::filesystem::remove(labels_folder / "Labels_sky_Test.txt");
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("Labels_sky_Test.txt"));
  put(folder / "ImageList" / "TrainImagelist.txt", "");
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("empty file"));
}

TEST(NusFormatted, TheAuthorsFilesKeepEveryRow) {
  const TemporaryFolder folder;
  const std::vector<int8_t> train = {1, 0, 0, 0, 1, 1}, val = {0, 1};
  write_npy(folder / "formatted_train_labels.npy", View<const int8_t>{train.data(), 3, 2});
  write_npy(folder / "formatted_val_labels.npy", View<const int8_t>{val.data(), 1, 2});
  write_npy(folder / "formatted_train_images.npy", std::vector<std::string>{"a", "b", "c"});
  write_npy(folder / "formatted_val_images.npy", std::vector<std::string>{"d"});
  const ImportedSet set = import_nus(folder.path());
  EXPECT_THAT(names(set.train), ElementsAre("a", "b", "c"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {}, {0, 1}}));
  EXPECT_EQ(labels(set.test), (Labels{{1}}));

  write_npy(folder / "formatted_val_images.npy", std::vector<std::string>{"d", "e"});
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("expected 1 names"));
  const std::vector<int8_t> bad = {0, 2};
  write_npy(folder / "formatted_val_images.npy", std::vector<std::string>{"d"});
  write_npy(folder / "formatted_val_labels.npy", View<const int8_t>{bad.data(), 1, 2});
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("row 0, column 1, found 2"));
}

TEST(Nus, AnotherFolderIsRefused) {
  const TemporaryFolder folder;
  EXPECT_SPML_ERROR(import_nus(folder.path()), HasSubstr("expected a NUS-WIDE folder"));
}

}  // namespace
}  // namespace spml
