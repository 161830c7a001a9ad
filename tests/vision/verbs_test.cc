// spml weights and spml extract, run as users run them.
#include "cli/run_program.h"
#include "formats/npy.h"
#include "pictures.h"
#include "small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;

class VisionVerbs : public testing::Test {
 protected:
  VisionVerbs() {
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights_);
    std::filesystem::create_directory(data_);
    for (const char* name : {"color.jpg", "alpha.png"}) {
      std::filesystem::copy_file(picture(name), data_ / name);
    }
    const std::vector<std::string> names{"color.jpg", "alpha.png", "color.jpg"};
    write_npy(data_ / "formatted_train_images.npy", std::span(names));
  }

  Ran extract(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"extract", data_.string(), "--size", "64", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TemporaryFolder folder_;
  Path weights_ = folder_ / "w.safetensors", data_ = folder_ / "data";
};

TEST_F(VisionVerbs, ExtractWritesFeaturesAndReportsThem) {
  const Ran ran = extract({"--weights", weights_.string()});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["architecture"], "resnet18");
  EXPECT_EQ(ran.json()["parts"][0]["rows"], 3);
  const NpyArray features(data_ / "train_features_imagenet_resnet50.npy");
  EXPECT_EQ(features.cols(), 512u);
  const Ran again = extract({"--weights", weights_.string()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("--force"));
}

TEST_F(VisionVerbs, ExtractNeedsANetwork) {
  EXPECT_EQ(extract().exit_code, 2);
  const Ran untrusted = extract({"--backbone", "m.pt"});
  EXPECT_EQ(untrusted.exit_code, 2);
  EXPECT_THAT(untrusted.err, HasSubstr("--trust-code"));
}

TEST_F(VisionVerbs, SkippedImagesAreReported) {
  write_file(data_ / "alpha.png", "damaged");
  EXPECT_EQ(extract({"--weights", weights_.string()}).exit_code, 1);
  const Ran ran = extract({"--weights", weights_.string(), "--on-error", "skip"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["parts"][0]["skipped"][0]["row"], 1);
}

TEST_F(VisionVerbs, ImportChecksAndConverts) {
  const std::string out = (folder_ / "out.safetensors").string();
  const Ran ran = run_program({"weights", "import", weights_.string(), "--out", out, "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["variant"], "v1.5");
  EXPECT_EQ(load_resnet(out).layout.depth, 18);
  EXPECT_EQ(run_program({"weights", "import", weights_.string(), "--out", out}).exit_code, 1);
  EXPECT_EQ(run_program({"weights", "import", weights_.string(), "--out", "x.bin"}).exit_code, 2);
}

}  // namespace
}  // namespace spml
