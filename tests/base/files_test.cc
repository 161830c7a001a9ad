#include "base/files.h"

#include <sys/stat.h>
#include <unistd.h>

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

TEST(AtomicFile, NeverWritesThroughALink) {
  TemporaryFolder folder;
  write_file(folder / "victim", "precious");
  std::filesystem::create_symlink(folder / "victim", folder / "out");
  write_file(folder / "out", "new");
  EXPECT_EQ(read_file(folder / "victim"), "precious");
  EXPECT_EQ(read_file(folder / "out"), "new");
}

// What a process with our number, in another container, would have made or planted.
TEST(AtomicFile, HasATemporaryNameOfItsOwn) {
  TemporaryFolder folder;
  write_file(folder / "victim", "precious");
  for (int i = 0; i < 64; ++i) {
    std::filesystem::create_symlink(
        folder / "victim",
        folder / ("a.tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i)));
  }
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "victim"), "precious");
  EXPECT_EQ(read_file(folder / "a"), "new");
}

TEST(AtomicFile, ReplacesNoPipeAndNoDevice) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_SPML_ERROR(AtomicFile(folder / "pipe"), HasSubstr("found a pipe"));
  std::filesystem::create_symlink("/dev/null", folder / "null");
  EXPECT_SPML_ERROR(AtomicFile(folder / "null"), HasSubstr("found a device"));
  EXPECT_SPML_ERROR(AtomicFile(folder.path()), HasSubstr("found a folder"));
}

TEST(AtomicFile, TakesTheLongestNameThatAFileCanHave) {
  TemporaryFolder folder;
  write_file(folder / std::string(255, 'x'), "text");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(MappedFile, DoesNotWaitForAPipe) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_SPML_ERROR(MappedFile(folder / "pipe"), HasSubstr("regular file"));
}

TEST(CreateNewFile, FollowsNoLinkAndTakesNoFileThatIsThere) {
  TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "nowhere", folder / "link");
  EXPECT_SPML_ERROR(create_new_file(folder / "link"), HasSubstr("cannot create"));
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
  write_file(folder / "a", "old");
  EXPECT_SPML_ERROR(create_new_file(folder / "a"), HasSubstr("cannot create"));
}

TEST(FileLock, FollowsNoLink) {
  TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "nowhere", folder / "lock");
  EXPECT_SPML_ERROR(FileLock(folder / "lock", "runs/a"), HasSubstr("cannot create"));
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

TEST(FileLock, TakesNoPipeForItsFile) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "lock").c_str(), 0600), 0);
  EXPECT_SPML_ERROR(FileLock(folder / "lock", "data", FileLock::kRefuse, FileLock::kRemoved),
                    HasSubstr("lock: expected a regular file to lock"));
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "lock"));
}

TEST(FileLock, LeavesNothingWhereAskedTo) {
  TemporaryFolder folder;
  {
    const FileLock lock(folder / "lock", "data", FileLock::kRefuse, FileLock::kRemoved);
    EXPECT_SPML_ERROR(FileLock(folder / "lock", "data"), HasSubstr("data: another spml"));
  }
  EXPECT_EQ(entries(folder.path()), 0u);
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
