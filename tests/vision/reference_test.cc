// The whole path from JPEG files to features, against another implementation's numbers.
#include <cmath>
#include <cstdlib>

#include "formats/npy.h"
#include "pictures.h"
#include "vision/backbone.h"
#include "vision/image/decode.h"
#include "vision/image/normalise.h"
#include "vision/image/resize.h"
#include "vision/weights/imagenet_package.h"

namespace spml {
namespace {

constexpr int kReferenceSize = 448;

// Where `spml weights fetch` puts them; tests download nothing.
Path imagenet_weights() {
  return imagenet_weights_file(cache_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME")));
}

std::vector<std::string> training_images(const Path& voc) {
  std::vector<std::string> names;
  std::string line;
  for (const char c : read_file(voc / "ImageSets/Main/train.txt")) {
    if (c != '\n') {
      line += c;
    } else {
      names.push_back(std::exchange(line, ""));
    }
  }
  std::ranges::sort(names);
  return names;
}

// Every 14th image; SPML_ALL_IMAGES=1 takes all 160.
TEST(Reference, FeaturesMatchAnotherImplementation) {
  const Path mini = shared_data() / "voc12-mini";
  SPML_NEED_SHARED(mini);
  const Path file = imagenet_weights();
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << file << " is not here; `spml weights fetch` makes it";
  }

  const auto net = make_inference_resnet(load_resnet(file), 2);
  const NpyArray reference(mini / "reference_features.npy");
  const Path voc = mini / "VOCdevkit/VOC2012";
  const auto names = training_images(voc);
  ASSERT_EQ(names.size(), reference.rows());
  ASSERT_EQ(net->features(), reference.cols());
  const size_t D = reference.cols(), step = std::getenv("SPML_ALL_IMAGES") != nullptr ? 1 : 14;

  std::vector<float> pixels(3 * kReferenceSize * kReferenceSize), features(D), expected(D);
  double worst_cosine = 1, worst_error = 0;
  for (size_t i = 0; i < names.size(); i += step) {
    const Image image = read_image(voc / "JPEGImages" / (names[i] + ".jpg"));
    normalise(resize_bilinear(image, kReferenceSize, kReferenceSize), pixels);
    net->run(pixels, kReferenceSize, {features.data(), 1, D});
    reference.read_row(i, std::span(expected));
    double dot = 0, norm = 0, expected_norm = 0, difference = 0;
    for (size_t j = 0; j < D; ++j) {
      dot += double{features[j]} * expected[j];
      norm += double{features[j]} * features[j];
      expected_norm += double{expected[j]} * expected[j];
      difference += std::pow(double{features[j]} - expected[j], 2);
    }
    worst_cosine = std::min(worst_cosine, dot / std::sqrt(norm * expected_norm));
    worst_error = std::max(worst_error, std::sqrt(difference / expected_norm));
  }
  EXPECT_GT(worst_cosine, 0.9999);
  EXPECT_LT(worst_error, 1e-2);
  RecordProperty("worst_cosine", std::to_string(worst_cosine));
  RecordProperty("worst_relative_error", std::to_string(worst_error));
}

}  // namespace
}  // namespace spml
