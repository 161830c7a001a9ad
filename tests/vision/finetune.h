// What the tests of fine-tuning share: a small network, a step of it, its weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "formats/safetensors.h"
#include "vision/finetune_model.h"
#include "vision/pictures.h"
#include "vision/small_resnet.h"

namespace spml {

inline constexpr int kSize = 48;
inline constexpr size_t kLabels = 3, kBatch = 4;
inline constexpr uint64_t kSeed = 5;
// Adam's step is then nearly proportional to the gradient. With the usual epsilon it has the same
// length wherever there is one, and rounding decides where a weight with next to none goes.
inline constexpr double kLearningRate = 0.1, kEpsilon = 100;
inline const std::vector<int32_t> kRows{2, 0, 3, 1};

inline std::vector<Path> image_list() {
  return {picture("color.jpg"), picture("alpha.png"), picture("gray.jpg"), picture("cmyk.jpg")};
}

inline FinetuneOptions small_options() {
  FinetuneOptions options;
  options.labels = kLabels;
  options.size = kSize;
  options.adam.lr = kLearningRate;
  options.adam.eps = kEpsilon;
  options.threads = 1;
  options.seed = kSeed;
  return options;
}

inline std::unique_ptr<Model> make(const FinetuneOptions& options,
                                   const NetworkMaker& make_network = make_cpu_network) {
  return make_finetune_model(random_resnet(18, ResNetVariant::kV1_5), image_list(), image_list(),
                             options, make_network);
}
inline std::unique_ptr<Model> make_narrow(const FinetuneOptions& options) {
  return make_finetune_model(narrow_resnet(), image_list(), image_list(), options,
                             make_cpu_network);
}

// What is true of a network whoever computes it; instantiated with each that there is.
struct NetworkKind {
  const char* name;
  NetworkMaker make;
};
class Network : public testing::TestWithParam<NetworkKind> {
 protected:
  std::unique_ptr<Model> make(const FinetuneOptions& options) const {
    return ::spml::make(options, GetParam().make);
  }
};

inline std::string name_of(const testing::TestParamInfo<NetworkKind>& kind) {
  return kind.param.name;
}

// The gradient of some loss: any numbers will do.
inline std::vector<float> some_gradient(uint64_t step) {
  std::vector<float> gradient(kBatch * kLabels);
  CounterRng random(step, Stream::kSynthetic);
  for (float& g : gradient) g = static_cast<float>(random.normal());
  return gradient;
}

// rows: at most kBatch of them.
inline void train_step(Model& model, uint64_t step, const std::vector<int32_t>& rows = kRows) {
  model.forward(rows);
  const auto gradient = some_gradient(step);
  model.backward({gradient.data(), rows.size(), kLabels});
  model.finish_step();
}

// The tensors of model.safetensors.
class SavedModel {
 public:
  explicit SavedModel(Model& model) {
    SafetensorsWriter writer;
    model.save_model(writer);
    writer.write(folder_ / "m.safetensors");
  }
  std::vector<float> operator[](const std::string& name) const {
    return SafetensorsFile(folder_ / "m.safetensors").floats(name);
  }
  std::string bytes() const { return read_file(folder_ / "m.safetensors"); }

 private:
  TemporaryFolder folder_;
};

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::abs(double{a[i]} - b[i]));
  }
  return worst;
}

}  // namespace spml
