#include "base/process.h"

#include "testing.h"

namespace spml {
namespace {

TEST(RunProcess, CollectsOutputAndExitCode) {
  TemporaryFolder folder;
  const ProcessResult ok = run_process({"sh", "-c", "pwd; echo two >&2; exit 3"}, folder.path());
  EXPECT_TRUE(ok.started);
  EXPECT_EQ(ok.exit_code, 3);
  EXPECT_EQ(ok.output, std::filesystem::canonical(folder.path()).string() + "\ntwo\n");
}

TEST(RunProcess, ReportsSignalsAndMissingPrograms) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, ".").exit_code, 128 + 9);
  EXPECT_FALSE(run_process({"spml-no-such-program"}, ".").started);
}

TEST(RunProcess, ArgumentsReachTheProgramUnchanged) {
  EXPECT_EQ(run_process({"printf", "%s", "a b; $HOME 'c'"}, ".").output, "a b; $HOME 'c'");
}

}  // namespace
}  // namespace spml
