#include "linear/network_estimator.h"

#include <algorithm>

#include "base/rng.h"
#include "base/sigmoid.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

// Layer 1 or 2: seeded apart from the classifier.
LinearConfig layer_config(const LinearConfig& config, int layer) {
  LinearConfig c = config;
  c.seed = random_u64(config.seed, Stream::kInitialEstimates, static_cast<uint64_t>(layer));
  c.name = "estimator.layer" + std::to_string(layer);
  return c;
}

LinearConfig first_config(const LinearConfig& config, size_t features) {
  LinearConfig first = layer_config(config, 1);
  first.labels = config.features;
  first.features = features;
  return first;
}

void relu(std::span<const float> in, float* out) {
  std::ranges::transform(in, out, [](float z) { return std::max(z, 0.0f); });
}

}  // namespace

NetworkEstimator::NetworkEstimator(const LinearConfig& config, const FeatureTransform& transform,
                                   const FeatureMatrix& features,
                                   std::span<const int32_t> file_rows)
    : transform_(transform),
      file_rows_(file_rows),
      first_(first_config(config, features.cols()), transform, &features, nullptr),
      second_(layer_config(config, 2)) {}

std::span<const int32_t> NetworkEstimator::in_file(std::span<const int32_t> rows) {
  batch_rows_.clear();
  for (const int32_t row : rows) batch_rows_.push_back(file_rows_[static_cast<size_t>(row)]);
  return batch_rows_;
}

void NetworkEstimator::prefetch(std::span<const int32_t> rows) { first_.prefetch(in_file(rows)); }

void NetworkEstimator::fetch(std::span<const int32_t> rows, View<float> logits) {
  relu(first_.forward(in_file(rows)).flat(), second_.inputs().data);
  std::ranges::copy(second_.forward().flat(), logits.data);
}

void NetworkEstimator::apply(std::span<const int32_t>, View<const float> gradient) {
  const View<float> hidden = second_.inputs(), dhidden = second_.backward(gradient);
  for (size_t i = 0; i < hidden.size(); ++i) {
    if (hidden.data[i] <= 0) dhidden.data[i] = 0;
  }
  first_.backward(dhidden);
}

void NetworkEstimator::probabilities(size_t first_row, View<float> out) {
  AlignedVector<float> values(out.rows * first_.labels());
  const View<float> hidden{values.data(), out.rows, first_.labels()};
  first_.predict(Part::kTrainFile, file_rows_.subspan(first_row, out.rows), 0, hidden);
  relu(hidden.flat(), hidden.data);
  second_.predict(hidden, out);
  sigmoid_in_place(out.flat());
}

void NetworkEstimator::keep_best() {
  for (LinearModel* layer : {&first_, &second_.model()}) {
    layer->finish_step();
    layer->keep_best();
  }
}

void NetworkEstimator::write_best(const Path& folder) {
  SafetensorsWriter writer;
  std::vector<float> weights[2];
  for (const size_t i : {0, 1}) {
    LinearModel& layer = i == 0 ? first_ : second_.model();
    layer.finish_step();
    layer.restore_best();
    weights[i] = layer.weight();
    const std::string number = std::to_string(i + 1);
    writer.add("W" + number, {layer.labels(), layer.features()}, weights[i]);
    writer.add("b" + number, {layer.labels()}, layer.bias());
  }
  save_transform(transform_, writer);
  writer.add_metadata("format", "spml");
  writer.add_metadata("estimator", "network");
  writer.write(folder / "estimator.safetensors");
}

void NetworkEstimator::save_state(SafetensorsWriter& out) {
  first_.save_state(out);
  second_.model().save_state(out);
}

void NetworkEstimator::load_state(const SafetensorsFile& in, uint64_t) {
  first_.load_state(in);
  second_.model().load_state(in);
}

}  // namespace spml
