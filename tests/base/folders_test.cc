#include "base/folders.h"

#include <sys/stat.h>

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

TEST(Folders, ANameThatIsTooLongIsAnErrorWithItsPath) {
  const TemporaryFolder folder;
  const Path path = folder / std::string(300, 'x');
  EXPECT_SPML_ERROR(path_exists(path), HasSubstr("File name too long"));
  EXPECT_SPML_ERROR(is_folder(path), HasSubstr("File name too long"));
  EXPECT_SPML_ERROR(list_folder(path), HasSubstr("File name too long"));
}

TEST(Folders, NamesFromFilesStayInside) {
  EXPECT_EQ(path_inside("a", "b/c.npy", "x"), Path("a/b/c.npy"));
  EXPECT_EQ(path_inside("a", "..b", "x"), Path("a/..b"));
  for (const std::string& name :
       {std::string("/etc/passwd"), std::string("../b"), std::string("b/../../c"), std::string(""),
        std::string(".."), std::string("b/.."), std::string("a\0b", 3)}) {
    EXPECT_SPML_ERROR(path_inside("a", name, "best.json"),
                      HasSubstr("best.json: expected the name of a file below a"));
  }
}

TEST(Folders, AFolderToWriteToIsNoLink) {
  const TemporaryFolder folder;
  make_folder(folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "images");
  EXPECT_SPML_ERROR(make_folder_inside(folder / "images"), HasSubstr("symbolic link"));
  make_folder_inside(folder / "elsewhere");
}

TEST(Folders, UnpredictableNamesDiffer) {
  EXPECT_EQ(unpredictable_name().size(), 16u);
  EXPECT_NE(unpredictable_name(), unpredictable_name());
}

}  // namespace
}  // namespace spml
