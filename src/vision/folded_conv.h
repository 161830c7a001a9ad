// Batch normalisation folded into the convolution before it:
//   gamma (w*x - mean) / sqrt(var + eps) + beta  =  (s w)*x + (beta - s mean),
//   s = gamma / sqrt(var + eps)
#pragma once

#include <vector>

#include "vision/weights/resnet_weights.h"

namespace spml {

struct FoldedConv {
  std::vector<float> weights;  // out x in x kernel x kernel
  std::vector<float> bias;     // out
};

FoldedConv fold(const ResNetWeights& weights, const ConvLayout& conv);

}  // namespace spml
