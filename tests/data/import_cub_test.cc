#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three images, two attributes. Lines with a column too many and too few, as in the real file.
class CubTree : public ::testing::Test {
 protected:
  CubTree() {
    put(tree / "images.txt", "1 001.Albatross/a.jpg\n2 001.Albatross/b.jpg\n3 002.Crow/c d.jpg\n");
    put(tree / "train_test_split.txt", "1 1\n2 0\n3 1\n");
    put(tree / "attributes" / "attributes.txt", "1 has_bill::hooked\n2 has_wing::blue\n");
    put(marks, kMarks);
  }
  static constexpr std::string_view kMarks =
      "1 1 1 3 27.7080\n1 2 0 3 27.7\n2 1 0 3 0 1.509\n2 2 1 4\n3 2 1 1 0.0\n3 1 1 4 1.0\n";
  TemporaryFolder folder;
  Path tree = folder / "CUB_200_2011";
  Path marks = tree / "attributes" / "image_attribute_labels.txt";
};

TEST_F(CubTree, PresenceIsTheLabelAndTheOfficialSplitIsKept) {
  const ImportedSet set = import_cub(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("has_bill::hooked", "has_wing::blue"));
  EXPECT_THAT(names(set.train), ElementsAre("001.Albatross/a.jpg", "002.Crow/c d.jpg"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {0, 1}}));
  EXPECT_EQ(labels(set.test), (Labels{{1}}));
  EXPECT_EQ(labels(import_cub(tree).test), (Labels{{1}}));
}

TEST_F(CubTree, AttributeNamesMayStandBesideTheFolder) {
  std::filesystem::rename(tree / "attributes" / "attributes.txt", folder / "attributes.txt");
  EXPECT_THAT(import_cub(folder.path()).classes, ElementsAre("has_bill::hooked", "has_wing::blue"));
}

TEST_F(CubTree, CountsDifferFromThePublishedOnes) {
  EXPECT_THAT(report_import(import_cub(tree)).warnings,
              Contains("found 2 training rows, the paper has 5994"));
}

TEST_F(CubTree, RepeatedAndMissingPairsAreWarnings) {
  put(marks, "1 1 1 3 1\n1 1 1 4 1\n");
  const ImportedSet set = import_cub(tree);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("image_attribute_labels.txt:2")));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("expected 6 lines (3 images x 2 attributes)")));
  EXPECT_THAT(set.test[0].positives, IsEmpty());
}

TEST_F(CubTree, BadLinesAreRefusedWithTheirNumber) {
  const auto refuse = [&](std::string_view text, const std::string& message) {
    put(marks, text);
    EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("image_attribute_labels.txt:" + message));
  };
  refuse("1 1 1 3\n1 1 0 3\n", "2: image 1 and attribute 1 are listed twice");
  refuse("1 1 1 3\n\n4 1 0 3\n", "3: image 4 is not in images.txt");
  refuse("1 3 1 3\n", "1: attribute 3 is not in attributes.txt");
  refuse("1 4000000000 1 3\n", "1: attribute 4000000000");
  refuse("1 1 2 3\n", "1: expected image, attribute and 0 or 1");
  refuse("1 -1 1 3\n", "1: expected");
  put(marks, "");
  EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("empty file"));
}

TEST_F(CubTree, LabelsMayComeInAnyOrder) {
  put(marks, "1 2 1 3 1\n1 1 1 4 1\n");
  EXPECT_EQ(labels(import_cub(tree).train), (Labels{{0, 1}, {}}));
}

TEST_F(CubTree, ClassesAreLimitedBeforeTheirLabelsAreRead) {
  std::string attributes;
  for (size_t i = 1; i <= kMaxClasses + 1; ++i) attributes += std::to_string(i) + " a\n";
  put(tree / "attributes" / "attributes.txt", attributes);
  std::filesystem::remove(marks);
  EXPECT_SPML_ERROR(import_cub(tree),
                    HasSubstr("attributes.txt:65537: expected at most 65536 lines"));
}

TEST_F(CubTree, EveryImageNeedsASplit) {
  put(tree / "train_test_split.txt", "1 1\n2 0\n");
  EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("images.txt:3: the image is not in"));
  put(tree / "train_test_split.txt", "1 1\n2 x\n3 0\n");
  EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("train_test_split.txt:2: expected 1"));
  put(tree / "train_test_split.txt", "1 1\n1 1\n");
  EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("train_test_split.txt:2: id 1 is listed twice"));
}

TEST_F(CubTree, HugeIdsDoNotMakeHugeTables) {
  put(tree / "images.txt", "1 a.jpg\n4000000000 b.jpg\n");
  EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("images.txt: expected ids counted from 1"));
}

TEST_F(CubTree, MissingImagesNameTheirLine) {
  put(tree / "images" / "001.Albatross" / "a.jpg", "");
  EXPECT_SPML_ERROR(import_cub(tree), HasSubstr("images.txt:2: 2 of 3 images"));
}

// Every pair of image and attribute is remembered: a few megabytes of names must not become
// gigabytes.
TEST_F(CubTree, PairsAreBoundedByTheFileThatListsThem) {
  std::string images, split, attributes;
  for (int i = 1; i <= 60'000; ++i) {
    const std::string id = std::to_string(i);
    images += id + " a\n";
    split += id + " 1\n";
    attributes += id + " a" + id + "\n";
  }
  put(tree / "images.txt", images);
  put(tree / "train_test_split.txt", split);
  put(tree / "attributes" / "attributes.txt", attributes);
  EXPECT_SPML_ERROR(import_cub(tree),
                    HasSubstr("a line for each of 60000 images x 60000 attributes"));
}

}  // namespace
}  // namespace spml
