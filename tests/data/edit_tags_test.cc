#include "data/edit_tags.h"

#include "base/folders.h"
#include "data/dataset.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EditTags : public ::testing::Test {
 protected:
  EditTags() {
    write_labels(observed_file(folder.path(), "train"),
                 LabelMatrix({1, 0, 0, -1, 0, 1, 0, 0, -1, -1, 0, -1}, 3, 4));
    write_labels(truth_file(folder.path(), "val"), LabelMatrix({0, 1, 1, 0}, 1, 4));
    write_file(folder / "dataset.json",
               R"({"classes": ["cat", "dog", "Katze", "eel"], "image_root": "x", "mine": 7})");
  }
  std::vector<int> row(const Path& file, size_t i) {
    const LabelMatrix labels = open_labels(file);
    std::vector<int8_t> values(labels.cols());
    labels.read_row(i, values);
    return {values.begin(), values.end()};
  }
  TemporaryFolder folder;
};

TEST_F(EditTags, MergedTagsAreThereWhereOneIs) {
  write_file(folder / "train_features_x.npy", "untouched");
  merge_tags(folder.path(), {"cat", "eel"}, "Katze");
  const Path observed = observed_file(folder.path(), "train");
  EXPECT_THAT(row(observed, 0), ElementsAre(0, 1)) << "there in one part";
  EXPECT_THAT(row(observed, 1), ElementsAre(1, 0)) << "unknown in one";
  EXPECT_THAT(row(truth_file(folder.path(), "val"), 0), ElementsAre(1, 1));
  const TagCounts counts = count_tags(folder.path());
  EXPECT_THAT(counts.names, ElementsAre("dog", "Katze"));
  EXPECT_THAT(counts.train, ElementsAre(1, 1));
  EXPECT_THAT(counts.test, ElementsAre(1, 1));
  EXPECT_EQ(read_file(folder / "train_features_x.npy"), "untouched");
  EXPECT_THAT(read_file(folder / "dataset.json"), HasSubstr("\"mine\": 7"));
}

TEST_F(EditTags, AbsentInAllPartsIsAbsent) {
  merge_tags(folder.path(), {"cat", "dog"}, "pet");
  EXPECT_THAT(row(observed_file(folder.path(), "train"), 2), ElementsAre(-1, 0, -1));
  EXPECT_THAT(count_tags(folder.path()).names, ElementsAre("pet", "Katze", "eel"));
}

TEST_F(EditTags, RenamingKeepsTheColumns) {
  merge_tags(folder.path(), {"dog"}, "hound");
  EXPECT_THAT(count_tags(folder.path()).names, ElementsAre("cat", "hound", "Katze", "eel"));
  EXPECT_THAT(row(observed_file(folder.path(), "train"), 0), ElementsAre(1, 0, 0, -1));
}

TEST_F(EditTags, UnknownTagsAndEmptyNamesAreRefused) {
  EXPECT_SPML_ERROR(merge_tags(folder.path(), {"caz"}, "x"),
                    HasSubstr("found 'caz'; did you mean 'cat'?"));
  EXPECT_SPML_ERROR(merge_tags(folder.path(), {"cat"}, " "), HasSubstr("a name for the tag"));
  EXPECT_THAT(count_tags(folder.path()).names, ElementsAre("cat", "dog", "Katze", "eel"));
}

}  // namespace
}  // namespace spml
