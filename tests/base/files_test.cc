#include "base/files.h"

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

size_t entries(const Path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(AtomicFile, AppearsOnlyAtCommit) {
  TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("hello");
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    file.write_at(0, "J", 1);
    file.commit();
  }
  EXPECT_EQ(read_file(folder / "a"), "Jello");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  write_file(folder / "a", "old");
  { AtomicFile(folder / "a").write("new"); }
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, NamesTheFileItCannotCreate) {
  EXPECT_SPML_ERROR(AtomicFile("/nowhere/at/all"), HasSubstr("/nowhere/at/all"));
}

TEST(MappedFile, EmptyAndMissingFiles) {
  TemporaryFolder folder;
  write_file(folder / "empty", "");
  EXPECT_EQ(MappedFile(folder / "empty").bytes().size(), 0u);
  EXPECT_SPML_ERROR(MappedFile(folder / "missing"), HasSubstr("No such file"));
  EXPECT_SPML_ERROR(MappedFile(folder.path()), HasSubstr("regular file"));
}

TEST(ReadFile, RefusesLargeFiles) {
  TemporaryFolder folder;
  write_file(folder / "a", "12345");
  EXPECT_SPML_ERROR(read_file(folder / "a", 4), HasSubstr("at most 4 bytes, found 5"));
}

TEST(FileLock, ExcludesASecondHolder) {
  TemporaryFolder folder;
  {
    FileLock lock(folder / "lock", "runs/a");
    EXPECT_SPML_ERROR(FileLock(folder / "lock", "runs/a"), HasSubstr("runs/a: another spml"));
  }
  FileLock again(folder / "lock", "runs/a");
}

}  // namespace
}  // namespace spml
