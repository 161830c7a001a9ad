// What is removed from a run's folder, and what is not.
#include "run/run_folder.h"
#include "base/folders.h"

#include <sys/stat.h>

#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool is_there(const Path& path) { return std::filesystem::exists(path); }

TEST(RunFolder, PartsOfACheckpointAreKnownByTheirWholeName) {
  EXPECT_EQ(RunFolder{"run"}.checkpoint_part(12, 3), Path("run/checkpoint-12-3.safetensors"));
  EXPECT_TRUE(is_checkpoint_part("checkpoint-12-3.safetensors"));
  for (const char* name :
       {"checkpoint.safetensors", "checkpoint-12.safetensors", "checkpoint-mine.safetensors",
        "checkpoint-1-mine.safetensors", "checkpoint-1-.safetensors", "checkpoint--1.safetensors",
        "checkpoint-.safetensors", "link/checkpoint-1-1.safetensors",
        "checkpoint-1-1-1.safetensors", "checkpoint-1-1.safetensors.tmp-0123456789abcdef", ""}) {
    EXPECT_FALSE(is_checkpoint_part(name)) << name;
  }
}

TEST(ClaimFolder, RemovesWhatAKilledWriterLeftAndNothingElse) {
  const TemporaryFolder folder;
  const std::vector<std::string> left = {"config.json.tmp-0123456789abcdef",
                                         "search.part.jsonl.tmp-0123456789abcdef",
                                         "checkpoint-1-0.safetensors.tmp-0123456789abcdef"};
  const std::vector<std::string> mine = {
      "config.json.tmp-mynotes", "config.json.tmp-0123456789abcdef0", "notes.tmp-0123456789abcdef",
      "checkpoint-mine.safetensors.tmp-0123456789abcdef"};
  for (const auto* names : {&left, &mine}) {
    for (const std::string& name : *names) write_file(folder / name, "");
  }
  EXPECT_SPML_ERROR(claim_folder(folder.path(), Existing::kRefuse), HasSubstr("not empty"));
  for (const std::string& name : left) EXPECT_TRUE(is_there(folder / name)) << name;
  claim_folder(folder.path(), Existing::kResume);
  for (const std::string& name : left) EXPECT_FALSE(is_there(folder / name)) << name;
  for (const std::string& name : mine) EXPECT_TRUE(is_there(folder / name)) << name;
}

TEST(ClaimFolder, LeftoversAloneAreNoReasonToRefuse) {
  const TemporaryFolder folder;
  write_file(folder / "result.json.tmp-0123456789abcdef", "");
  claim_folder(folder.path(), Existing::kRefuse);
  EXPECT_FALSE(is_there(folder / "result.json.tmp-0123456789abcdef"));
}

TEST(ClearRun, TakesFilesAndLinksOnlyAndLooksFirst) {
  const TemporaryFolder folder;
  const RunFolder run{folder.path()};
  write_file(folder / "elsewhere", "precious");
  write_file(run.result(), "{}");
  std::filesystem::create_symlink(folder / "elsewhere", run.config());
  write_file(run.search_journal(), "");
  write_file(folder / "checkpoint-1-0.safetensors", "");
  write_file(folder / "checkpoint-mine.safetensors", "");
  ASSERT_EQ(::mkfifo(run.search().c_str(), 0600), 0);
  EXPECT_SPML_ERROR(clear_run(run), AllOf(HasSubstr("search.jsonl"), HasSubstr("something else")));
  EXPECT_TRUE(is_there(run.result()));
  std::filesystem::remove(run.search());
  make_folder(run.model());
  EXPECT_SPML_ERROR(clear_run(run), HasSubstr("model.safetensors"));
  std::filesystem::remove(run.model());
  clear_run(run);
  for (const Path& gone :
       {run.result(), run.config(), run.search_journal(), folder / "checkpoint-1-0.safetensors"}) {
    EXPECT_FALSE(is_there(gone)) << gone;
  }
  EXPECT_EQ(read_file(folder / "elsewhere"), "precious");
  EXPECT_TRUE(is_there(folder / "checkpoint-mine.safetensors"));
}

}  // namespace
}  // namespace spml
