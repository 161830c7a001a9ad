#include "linear/inner_layer.h"

#include <numeric>

namespace spml {
namespace {

std::vector<int32_t> first_rows(size_t n) {
  std::vector<int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

InnerLayer::InnerLayer(const LinearConfig& config)
    : inputs_(config.batch * config.features),
      dinputs_(inputs_.size()),
      source_(View<const float>{inputs_.data(), config.batch, config.features}),
      rows_(first_rows(config.batch)),
      model_(config, {}, &source_, nullptr) {}

View<float> InnerLayer::backward(View<const float> dlogits) {
  const View<float> dinputs{dinputs_.data(), rows_.size(), model_.features()};
  model_.backward(dlogits);
  model_.input_gradient(dinputs);
  return dinputs;
}

void InnerLayer::predict(View<const float> inputs, View<float> logits) {
  model_.predict(FeatureMatrix(inputs), first_rows(inputs.rows), 0, logits);
}

}  // namespace spml
