// The map of a network's last layer -> one row of features.
#pragma once

#include <memory>

#include "data/feature_pooling.h"
#include "spml/view.h"
#include "vision/backbone.h"

namespace spml {

// The largest value of each column of a map, positions x D. out: D.
void max_pool(View<const float> map, float* out);

// GeM, the generalised mean, of maps without negative numbers (behind a ReLU there are none):
//   (1/n sum_i x_i^p)^(1/p),  computed as  m (1/n sum_i (x_i / m)^p)^(1/p),  m = max_i x_i,
// so that no power overflows. 0 where all is 0.
void gem_pool(View<const float> map, double p, float* out);

// The mean of the features of each image and of its mirror image.
std::unique_ptr<Backbone> make_mirrored(std::unique_ptr<Backbone> backbone);

}  // namespace spml
