#include "linear/gradient_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linear/gradient_kernels.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "train/adam-inl.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr size_t kTileLabels = 4;

// g[l][i] = sum_b dz[l][b] x[b][i] for a few labels and one vector of features.
template <size_t kLabels>
HWY_INLINE void gradient_tile(const float* HWY_RESTRICT x, const float* HWY_RESTRICT dz,
                              size_t batch, size_t width, float* HWY_RESTRICT gradient) {
  const D d;
  V g[kLabels];
  for (size_t l = 0; l < kLabels; ++l) g[l] = hn::Zero(d);
  for (size_t b = 0; b < batch; ++b) {
    const V row = hn::Load(d, x + b * width);
    for (size_t l = 0; l < kLabels; ++l) {
      g[l] = hn::MulAdd(hn::Set(d, dz[l * batch + b]), row, g[l]);
    }
  }
  for (size_t l = 0; l < kLabels; ++l) hn::Store(g[l], d, gradient + l * width);
}

void gradient_of(const WeightGradient& job) {
  const size_t n = hn::Lanes(D()), columns = padded_features(job.features);
  for (size_t begin = 0; begin < columns; begin += kChunk) {
    const size_t width = std::min(kChunk, columns - begin);
    const float* x = job.rows + begin * job.batch;
    float* out = job.gradient + begin * job.labels;
    for (size_t i = 0; i < width; i += n) {
      size_t l = job.first_label;
      for (; l + kTileLabels <= job.last_label; l += kTileLabels) {
        gradient_tile<kTileLabels>(x + i, job.dlogits + l * job.batch, job.batch, width,
                                   out + l * width + i);
      }
      for (; l < job.last_label; ++l) {
        gradient_tile<1>(x + i, job.dlogits + l * job.batch, job.batch, width, out + l * width + i);
      }
    }
  }
}

void update(const WeightUpdate& job) {
  const D d;
  const size_t n = hn::Lanes(d), columns = padded_features(job.features);
  const V decay = hn::Set(d, job.adam->decay);
  for (size_t begin = 0; begin < columns; begin += kChunk) {
    const size_t width = std::min(kChunk, columns - begin);
    for (size_t l = job.first_label; l < job.last_label; ++l) {
      const float* g = job.gradient + begin * job.labels + l * width;
      float* w = job.weights + begin * 3 * job.labels + l * 3 * width;
      for (size_t i = 0; i < width; i += n) {
        V weight = hn::Load(d, w + i), m = hn::Load(d, w + width + i);
        V v = hn::Load(d, w + 2 * width + i);
        const V slope = hn::MulAdd(decay, weight, hn::Load(d, g + i));
        adam_update<RoundOld>(d, *job.adam, slope, weight, m, v);
        hn::Store(weight, d, w + i);
        hn::Store(m, d, w + width + i);
        hn::Store(v, d, w + 2 * width + i);
      }
    }
  }
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {

HWY_EXPORT(gradient_of);
HWY_EXPORT(update);

void weight_gradient(const WeightGradient& job) { HWY_DYNAMIC_DISPATCH(gradient_of)(job); }
void update_weights(const WeightUpdate& job) { HWY_DYNAMIC_DISPATCH(update)(job); }

}  // namespace spml
#endif  // HWY_ONCE
