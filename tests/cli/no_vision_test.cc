// What a build without SPML_VISION says when it is asked for images.
#include "training.h"

namespace spml {

Path program_path() { return build_folder() / "spml_without_images"; }

namespace {

TEST(NoVision, ImageVerbsAndModesSayHowToBuildThem) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data"), run = folder / "run";
  const std::string how = "-DSPML_VISION=ON";
  expect_failure({"weights", "fetch"}, 1, how);
  expect_failure({"extract", data}, 1, how);
  expect_failure({"train", data, "--loss", "an", "--mode", "finetune", "--out", run}, 1, how);
  expect_failure({"sweep", data, "--loss", "an", "--mode", "linear-init", "--out", run}, 1, how);
  expect_failure({"synth", "--images", "--out", folder / "images"}, 1, how);
  expect_success({"train", data, "--loss", "an", "--epochs", "1", "--out", run, "--quiet"});
  expect_failure({"predict", run, "--images", "a.jpg", "--out", folder / "p.csv"}, 1, how);
}

}  // namespace
}  // namespace spml
