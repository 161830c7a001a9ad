#include "vision/folded_conv.h"

#include <cmath>

namespace spml {

FoldedConv fold(const ResNetWeights& weights, const ConvLayout& conv) {
  const auto& w = weights.values(conv.conv + ".weight");
  const auto& gamma = weights.values(conv.bn + ".weight");
  const auto& beta = weights.values(conv.bn + ".bias");
  const auto& mean = weights.values(conv.bn + ".running_mean");
  const auto& variance = weights.values(conv.bn + ".running_var");
  FoldedConv folded{std::vector<float>(w.size()), std::vector<float>(conv.out)};
  const size_t per_output = w.size() / conv.out;
  for (size_t o = 0; o < conv.out; ++o) {
    const double scale = gamma[o] / std::sqrt(variance[o] + weights.bn_epsilon);
    folded.bias[o] = static_cast<float>(beta[o] - scale * mean[o]);
    for (size_t i = o * per_output; i < (o + 1) * per_output; ++i) {
      folded.weights[i] = static_cast<float>(scale * w[i]);
    }
  }
  return folded;
}

}  // namespace spml
