#include "linear/factored_estimator.h"

#include <algorithm>

#include "base/rng.h"
#include "base/sigmoid.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

// Bound of U's starting values. V starts uniform in +-1/sqrt(R), so U_i . V_j has a deviation of a
// third of it, whatever R.
constexpr double kStart = 0.4;

LinearConfig layer_config(LinearConfig config) {
  config.seed = random_u64(config.seed, Stream::kInitialEstimates, ~uint64_t{0});
  config.name = "estimator.layer";
  return config;
}

}  // namespace

FactoredEstimator::FactoredEstimator(const LinearConfig& config, std::span<const int32_t> keys)
    : table_(keys.size(), config.features, config.adam), layer_(layer_config(config)) {
  for (size_t i = 0; i < keys.size(); ++i) {
    CounterRng random(config.seed, Stream::kInitialEstimates, static_cast<uint64_t>(keys[i]));
    for (float& u : table_.start_row(i)) {
      u = static_cast<float>((2 * random.uniform() - 1) * kStart);
    }
  }
}

void FactoredEstimator::fetch(std::span<const int32_t> rows, View<float> logits) {
  table_.fetch(rows, layer_.inputs());
  std::ranges::copy(layer_.forward().flat(), logits.data);
}

void FactoredEstimator::apply(std::span<const int32_t> rows, View<const float> gradient) {
  table_.apply(rows, layer_.backward(gradient));
}

void FactoredEstimator::probabilities(size_t first_row, View<float> out) {
  AlignedVector<float> u(out.rows * table_.columns());
  const View<float> inputs{u.data(), out.rows, table_.columns()};
  for (size_t i = 0; i < out.rows; ++i) {
    table_.read_row(first_row + i, {inputs.row(i), inputs.cols});
  }
  layer_.predict(inputs, out);
  sigmoid_in_place(out.flat());
}

void FactoredEstimator::keep_best() {
  const size_t rank = table_.columns();
  best_.resize(rows() * rank);
  for (size_t i = 0; i < rows(); ++i) table_.read_row(i, {best_.data() + i * rank, rank});
  layer_.model().finish_step();
  layer_.model().keep_best();
}

void FactoredEstimator::write_best(const Path& folder) {
  if (best_.empty()) keep_best();
  LinearModel& layer = layer_.model();
  layer.restore_best();
  const std::vector<float> v = layer.weight();
  SafetensorsWriter writer;
  writer.add("U", {rows(), table_.columns()}, best_);
  writer.add("V", {labels(), table_.columns()}, v);
  writer.add("b", {labels()}, layer.bias());
  writer.add_metadata("format", "spml");
  writer.add_metadata("estimator", "factored");
  writer.write(folder / "estimator.safetensors");
}

void FactoredEstimator::save_state(SafetensorsWriter& out) {
  table_.save_state(out);
  out.add("estimator.best", {best_.size()}, best_);
  layer_.model().save_state(out);
}

void FactoredEstimator::load_state(const SafetensorsFile& in, uint64_t step) {
  table_.load_state(in, step);
  best_.resize(in.tensor("estimator.best").bytes.empty() ? 0 : rows() * table_.columns());
  read_exactly(in, "estimator.best", std::span(best_));
  layer_.model().load_state(in);
}

}  // namespace spml
