// The program without LibTorch: at its start, and where libspml_torch.so is missing or not its own.
#include <cstdlib>

#include "base/process.h"
#include "cli/training.h"
#include "spml/version.h"
#include "vision/small_resnet.h"

namespace spml {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kWhatNext =
    "; build spml with -DSPML_TORCH=ON and install it (`cmake --install build`) again\n";

// Made by other_torch_module.cc.
Path other_module(const std::string& what) {
  return build_folder() / "tests" / "vision" / ("libother_" + what + ".so");
}

TEST(TorchModule, IsNotLoadedAtTheStart) {
  ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);  // what ldd does
  const Ran ran = run_program("--version");
  ::unsetenv("LD_TRACE_LOADED_OBJECTS");
  EXPECT_THAT(ran.out, HasSubstr("libstdc++"));
  EXPECT_THAT(ran.out, Not(HasSubstr("torch")));
}

// A copy of the program, alone in a folder.
class LoneProgram : public testing::Test {
 protected:
  LoneProgram() {
    std::filesystem::create_directory(bin_);
    std::filesystem::copy_file(program_path(), bin_ / "spml");
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), folder_ / "w.safetensors");
    expect_success({"synth", "--rows", "20", "--labels", "3", "--images", "--out", data_});
  }

  ProcessResult run(const Words& words) {
    return run_process(Words{bin_ / "spml"} + words, folder_.path());
  }
  std::string error_of_finetuning() {
    const ProcessResult result =
        run({"train", data_, "--mode", "finetune", "--loss", "an", "--weights", "w.safetensors",
             "--device", "cuda", "--out", "run"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
    return result.output;
  }

  TemporaryFolder folder_;
  Path bin_ = std::filesystem::canonical(folder_.path()) / "bin", data_ = folder_ / "data";
  Path module_ = bin_ / "libspml_torch.so";
};

TEST_F(LoneProgram, DoesAllThatNeedsNoTorch) {
  EXPECT_EQ(run({"extract", data_, "--weights", "w.safetensors", "--size", "32"}).exit_code, 0);
  EXPECT_EQ(run({"train", data_, "--loss", "an", "--epochs", "1", "--out", "run"}).exit_code, 0);
  EXPECT_EQ(run({"predict", "run", "--data", data_, "--out", "scores.npy"}).exit_code, 0);
  EXPECT_EQ(run({"train", data_, "--mode", "finetune", "--loss", "an", "--epochs", "1", "--weights",
                 "w.safetensors", "--size", "32", "--out", "tuned"})
                .exit_code,
            0);
}

TEST_F(LoneProgram, SaysWhereItLookedForTheModule) {
  EXPECT_THAT(
      error_of_finetuning(),
      AllOf(StartsWith("spml: error: libspml_torch.so: training on a card and --backbone need it, "
                       "and it is neither in " +
                       bin_.string() + " nor in /"),
            EndsWith("/spml" + kWhatNext)));
}

TEST_F(LoneProgram, RefusesAFileThatIsNoLibrary) {
  write_file(module_, "not a library");
  EXPECT_EQ(error_of_finetuning(), "spml: error: " + module_.string() + ": cannot load it: " +
                                       module_.string() + ": file too short" + kWhatNext);
}

TEST_F(LoneProgram, RefusesTheModuleOfAnotherVersion) {
  std::filesystem::copy_file(other_module("VERSION"), module_);
  EXPECT_EQ(error_of_finetuning(), "spml: error: " + module_.string() + ": expected version " +
                                       kVersion + ", as of this program, found 0.0.0" + kWhatNext);
}

TEST_F(LoneProgram, RefusesTheModuleOfAnotherBuild) {
  std::filesystem::copy_file(other_module("BUILD"), module_);
  EXPECT_THAT(error_of_finetuning(),
              AllOf(StartsWith("spml: error: " + module_.string() +
                               ": expected the one built with this program ("),
                    EndsWith("found another build's (another)" + kWhatNext)));
}

}  // namespace
}  // namespace spml
