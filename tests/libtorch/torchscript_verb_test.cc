// The program with its module.
#include "cli/training.h"

namespace spml {
namespace {

TEST(TorchModule, ErrorsOfTorchScriptArriveAsErrors) {
  TemporaryFolder folder;
  const Path data = folder / "data", program = folder / "x.pt";
  expect_success({"synth", "--rows", "4", "--labels", "2", "--images", "--out", data});
  write_file(program, "not a program");
  expect_failure({"extract", data, "--backbone", program, "--trust-code"}, 1,
                 "x.pt: expected a TorchScript file");
}

}  // namespace
}  // namespace spml
