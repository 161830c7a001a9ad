// Checkpoints: every load_state(), behind a file that is sound in itself and behind raw bytes.
#include <algorithm>
#include <numeric>

#include "formats/safetensors.h"
#include "linear/factored_estimator.h"
#include "linear/linear_model.h"
#include "linear/network_estimator.h"
#include "memory_file.h"
#include "sections.h"
#include "spml/loss.h"
#include "targets.h"
#include "train/label_memory.h"
#include "train/table_estimator.h"

namespace spml {
namespace {

constexpr size_t kRows = 3, kLabels = 2, kFeatures = 3, kBatch = 2;

struct Setting {
  std::vector<float> values = std::vector<float>(kRows * kFeatures, 0.5f);
  FeatureMatrix features{View<const float>{values.data(), kRows, kFeatures}};
  std::vector<int32_t> rows = {0, 1, 2};
  LabelMatrix observed{std::vector<int8_t>{1, 0, 0, 1, 0, 1}, kRows, kLabels};
};

LinearConfig layer(size_t features) {
  LinearConfig config;
  config.features = features;
  config.labels = kLabels;
  config.batch = kBatch;
  config.memory = MemoryBudget(size_t{64} << 20);
  return config;
}

// What a resumed run does next with what was loaded.
void use(LabelEstimator& estimator) {
  std::vector<float> logits(kBatch * kLabels), all(kRows * kLabels);
  const std::vector<int32_t> batch = {2, 0};
  estimator.fetch(batch, {logits.data(), kBatch, kLabels});
  estimator.apply(batch, {logits.data(), kBatch, kLabels});
  estimator.probabilities(0, {all.data(), kRows, kLabels});
}

bool load_everything(const Path& path) {
  const Setting setting;
  bool accepted = false;
  const auto try_to = [&](const auto& load) { accepted |= accepts(load); };
  try_to([&] {
    LinearModel model(layer(kFeatures), {}, &setting.features, nullptr);
    model.load_state(SafetensorsFile(path));
    std::vector<float> out(kRows * kLabels);
    model.predict(Part::kTrainFile, setting.rows, 0, {out.data(), kRows, kLabels});
    model.restore_best();
  });
  try_to([&] {
    TableEstimator table(kRows, kLabels, {});
    table.load_state(SafetensorsFile(path), 4);
    use(table);
  });
  try_to([&] {
    FactoredEstimator factored(layer(2), setting.rows);
    factored.load_state(SafetensorsFile(path), 4);
    use(factored);
  });
  try_to([&] {
    NetworkEstimator network(layer(2), {}, setting.features, setting.rows);
    network.load_state(SafetensorsFile(path), 4);
    use(network);
  });
  try_to([&] {
    LossMemory needs;
    needs.labels = needs.soft_labels = needs.priors = true;
    const LabelMatrix none;
    TrainingLabels start(setting.observed, none, find_loss("an"));
    LabelMemory memory(needs, setting.observed, start, setting.rows, 1);
    memory.load_state(SafetensorsFile(path));
  });
  return accepted;
}

}  // namespace

bool fuzz_checkpoint(std::span<const std::byte> bytes) {
  const std::string file = as_text(bytes).starts_with("@@")
                               ? assemble_safetensors(split_sections(bytes))
                               : std::string(as_text(bytes));
  const MemoryFile memory(std::as_bytes(std::span(file)));
  return load_everything(memory.path());
}

}  // namespace spml
