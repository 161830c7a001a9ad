#include "base/folders.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ImportFolder, EverySubFolderIsAClass) {
  const TemporaryFolder folder;
  for (const char* file : {"dog/b.JPG", "dog/a.png", "dog/more/z.jpeg", "cat/a.png",
                           "cat/notes.txt", "cat/.hidden.jpg", ".git/x.jpg", "loose.jpg"}) {
    put(folder / file, "");
  }
  make_folder(folder / "empty");
  const ImportedSet set = import_folder(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("cat", "dog", "empty"));
  EXPECT_THAT(names(set.train),
              ElementsAre("cat/a.png", "dog/a.png", "dog/b.JPG", "dog/more/z.jpeg"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {1}, {1}, {1}}));
  EXPECT_FALSE(set.complete);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("1 files are neither jpg nor png")));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("empty: no jpg or png")));
}

TEST(ImportFolder, SplitsAreRecognised) {
  const TemporaryFolder folder;
  put(folder / "train/dog/a.jpg", "");
  put(folder / "train/cat/b.jpg", "");
  put(folder / "val/dog/c.jpg", "");
  put(folder / "val/eel/d.jpg", "");
  const ImportedSet set = import_folder(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("cat", "dog", "eel"));
  EXPECT_THAT(names(set.train), ElementsAre("train/cat/b.jpg", "train/dog/a.jpg"));
  EXPECT_THAT(names(set.test), ElementsAre("val/dog/c.jpg", "val/eel/d.jpg"));
  EXPECT_EQ(labels(set.test), (Labels{{1}, {2}}));
}

TEST(ImportFolder, FoldersWithoutClassesOrImagesAreErrors) {
  const TemporaryFolder folder;
  EXPECT_SPML_ERROR(import_folder(folder.path()), HasSubstr("one sub-folder per class"));
  EXPECT_SPML_ERROR(import_folder(folder / "nothing"), HasSubstr("expected a folder"));
  make_folder(folder / "cat");
  EXPECT_SPML_ERROR(import_folder(folder.path()), HasSubstr("expected jpg or png images"));
  put(folder / "caf\xE9" / "a.jpg", "");
  EXPECT_SPML_ERROR(import_folder(folder.path()), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace spml
