#include "linear/kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linear/kernels.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "train/adam-inl.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Register tiles. Sixteen registers hold the accumulators, their operands and a broadcast.
constexpr size_t kTileLabels = 4;   // labels of a tile, in update and logits
constexpr size_t kTileVectors = 2;  // vectors of features in an update tile
constexpr size_t kTileRows = 3;     // batch rows of a logits tile

HWY_INLINE void adam_update(const AdamStep& k, V g, float* HWY_RESTRICT w, float* HWY_RESTRICT m,
                            float* HWY_RESTRICT v) {
  const D d;
  V weight = hn::Load(d, w), vm = hn::Load(d, m), vv = hn::Load(d, v);
  g = hn::MulAdd(hn::Set(d, k.decay), weight, g);
  adam_update<RoundOld>(d, k, g, weight, vm, vv);
  hn::Store(weight, d, w);
  hn::Store(vm, d, m);
  hn::Store(vv, d, v);
}

// g[l][i] = sum_b dz[l][b] x[b][i] for a tile, then Adam on it. x: (B, width), dz: (labels, B),
// weights: (labels, 3, width), all from the tile's first label and feature.
template <size_t kLabels, size_t kVectors>
HWY_INLINE void update_tile(const AdamStep& adam, const float* HWY_RESTRICT x,
                            const float* HWY_RESTRICT dz, size_t batch, size_t width,
                            float* HWY_RESTRICT weights) {
  const D d;
  const size_t n = hn::Lanes(d);
  V g[kLabels][kVectors];
  for (size_t l = 0; l < kLabels; ++l) {
    for (size_t i = 0; i < kVectors; ++i) g[l][i] = hn::Zero(d);
  }
  for (size_t b = 0; b < batch; ++b) {
    V row[kVectors];
    for (size_t i = 0; i < kVectors; ++i) row[i] = hn::Load(d, x + b * width + i * n);
    for (size_t l = 0; l < kLabels; ++l) {
      const V scale = hn::Set(d, dz[l * batch + b]);
      for (size_t i = 0; i < kVectors; ++i) g[l][i] = hn::MulAdd(scale, row[i], g[l][i]);
    }
  }
  for (size_t l = 0; l < kLabels; ++l) {
    float* w = weights + l * 3 * width;
    for (size_t i = 0; i < kVectors; ++i) {
      adam_update(adam, g[l][i], w + i * n, w + width + i * n, w + 2 * width + i * n);
    }
  }
}

template <size_t kLabels>
HWY_INLINE void update_chunk(const AdamStep& adam, const float* x, const float* dz, size_t batch,
                             size_t width, float* weights) {
  const size_t n = hn::Lanes(D());
  size_t i = 0;
  for (; i + kTileVectors * n <= width; i += kTileVectors * n) {
    update_tile<kLabels, kTileVectors>(adam, x + i, dz, batch, width, weights + i);
  }
  for (; i < width; i += n) {
    update_tile<kLabels, 1>(adam, x + i, dz, batch, width, weights + i);
  }
}

// sums[l][b] += w[l] * x[b], lane by lane. sums: (labels, B, lanes).
template <size_t kLabels, size_t kRows>
HWY_INLINE void logits_tile(const float* HWY_RESTRICT x, const float* HWY_RESTRICT weights,
                            size_t batch, size_t width, float* HWY_RESTRICT sums) {
  const D d;
  const size_t n = hn::Lanes(d);
  V sum[kLabels][kRows];
  for (size_t l = 0; l < kLabels; ++l) {
    for (size_t b = 0; b < kRows; ++b) sum[l][b] = hn::Load(d, sums + (l * batch + b) * n);
  }
  for (size_t i = 0; i < width; i += n) {
    V row[kRows];
    for (size_t b = 0; b < kRows; ++b) row[b] = hn::Load(d, x + b * width + i);
    for (size_t l = 0; l < kLabels; ++l) {
      const V w = hn::Load(d, weights + l * 3 * width + i);
      for (size_t b = 0; b < kRows; ++b) sum[l][b] = hn::MulAdd(w, row[b], sum[l][b]);
    }
  }
  for (size_t l = 0; l < kLabels; ++l) {
    for (size_t b = 0; b < kRows; ++b) hn::Store(sum[l][b], d, sums + (l * batch + b) * n);
  }
}

template <size_t kLabels>
HWY_INLINE void logits_chunk(const float* x, const float* weights, size_t batch, size_t width,
                             float* sums) {
  const size_t n = hn::Lanes(D());
  size_t b = 0;
  for (; b + kTileRows <= batch; b += kTileRows) {
    logits_tile<kLabels, kTileRows>(x + b * width, weights, batch, width, sums + b * n);
  }
  for (; b < batch; ++b) {
    logits_tile<kLabels, 1>(x + b * width, weights, batch, width, sums + b * n);
  }
}

template <size_t kLabels>
HWY_INLINE void pass_labels(const LinearPass& p, size_t label, size_t begin, size_t width) {
  float* weights = p.weights + begin * 3 * p.labels + label * 3 * width;
  if (p.update_batch > 0) {
    update_chunk<kLabels>(*p.adam, p.update_rows + begin * p.update_batch,
                          p.dlogits + label * p.update_batch, p.update_batch, width, weights);
  }
  if (p.forward_batch > 0) {
    logits_chunk<kLabels>(p.forward_rows + begin * p.forward_batch, weights, p.forward_batch, width,
                          p.sums + label * p.forward_batch * hn::Lanes(D()));
  }
}

// Every (label, feature) and every (label, row) is computed in an order that does not depend on
// the range of labels, so any partition over threads gives the same bits.
void pass(const LinearPass& p) {
  const D d;
  const size_t n = hn::Lanes(d);
  const size_t row_sums = p.forward_batch * n;
  std::fill(p.sums + p.first_label * row_sums, p.sums + p.last_label * row_sums, 0.0f);

  const size_t columns = padded_features(p.features);
  for (size_t begin = 0; begin < columns; begin += kChunk) {
    const size_t width = std::min(kChunk, columns - begin);
    size_t label = p.first_label;
    for (; label + kTileLabels <= p.last_label; label += kTileLabels) {
      pass_labels<kTileLabels>(p, label, begin, width);
    }
    for (; label < p.last_label; ++label) pass_labels<1>(p, label, begin, width);
  }

  for (size_t label = p.first_label; label < p.last_label; ++label) {
    for (size_t b = 0; b < p.forward_batch; ++b) {
      const V sum = hn::Load(d, p.sums + label * row_sums + b * n);
      p.logits[b * p.labels + label] = p.bias[label] + hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

// dx[b][i] = sum_l dz[l][b] w[l][i] for one vector of features and a few rows. dz: (L, B) from the
// tile's first row, weights: (L, 3, width) and out: (rows, D) from its first feature, of which
// `count` are there.
template <size_t kRows>
HWY_INLINE void input_tile(const float* HWY_RESTRICT dz, const float* HWY_RESTRICT weights,
                           size_t labels, size_t batch, size_t width, size_t features, size_t count,
                           float* HWY_RESTRICT out) {
  const D d;
  V sum[kRows];
  for (size_t b = 0; b < kRows; ++b) sum[b] = hn::Zero(d);
  for (size_t l = 0; l < labels; ++l) {
    const V w = hn::Load(d, weights + l * 3 * width);
    for (size_t b = 0; b < kRows; ++b) {
      sum[b] = hn::MulAdd(hn::Set(d, dz[l * batch + b]), w, sum[b]);
    }
  }
  for (size_t b = 0; b < kRows; ++b) {
    HWY_ALIGN float lanes[kPad];
    hn::Store(sum[b], d, lanes);
    std::copy_n(lanes, count, out + b * features);
  }
}

void inputs(const InputGradient& job) {
  constexpr size_t kRows = 8;
  const size_t n = hn::Lanes(D()), columns = padded_features(job.features);
  for (size_t i = 0; i < job.features; i += n) {
    const size_t begin = i / kChunk * kChunk, width = std::min(kChunk, columns - begin);
    const float* weights = job.weights + begin * 3 * job.labels + (i - begin);
    const size_t count = std::min(n, job.features - i);
    const auto tile = [&]<size_t kTile>(size_t b, std::integral_constant<size_t, kTile>) {
      input_tile<kTile>(job.dlogits + b, weights, job.labels, job.batch, width, job.features, count,
                        job.dinputs + b * job.features + i);
    };
    size_t b = job.first_row;
    for (; b + kRows <= job.last_row; b += kRows) tile(b, std::integral_constant<size_t, kRows>());
    for (; b < job.last_row; ++b) tile(b, std::integral_constant<size_t, 1>());
  }
}

// Features as they come from the file, one vector at a time.
HWY_INLINE V load_features(const float* p) { return hn::LoadU(D(), p); }
HWY_INLINE V load_features(const uint16_t* p) {
  const hn::Rebind<hwy::float16_t, D> half;
  return hn::PromoteTo(D(), hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(p)));
}

template <class Source>
HWY_INLINE float inverse_norm(const Source* row, size_t features) {
  const D d;
  const size_t n = hn::Lanes(d);
  V sum = hn::Zero(d);
  size_t i = 0;
  for (; i + n <= features; i += n) {
    const V x = load_features(row + i);
    sum = hn::MulAdd(x, x, sum);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  if (i < features) {
    Source rest[kPad] = {};
    std::copy(row + i, row + features, rest);
    const V x = load_features(rest);
    total += hn::GetLane(hn::SumOfLanes(d, hn::Mul(x, x)));
  }
  return total > 0 ? 1.0f / std::sqrt(total) : 0.0f;
}

template <TransformKind kKind, class Source>
HWY_INLINE void pack(const Source* HWY_RESTRICT row, size_t features, const RowTransform& t,
                     size_t b, size_t batch, float* HWY_RESTRICT packed) {
  const D d;
  const size_t n = hn::Lanes(d);
  [[maybe_unused]] const V norm =
      hn::Set(d, kKind == TransformKind::kL2 ? inverse_norm(row, features) : 1.0f);
  const auto transform = [&](V x, [[maybe_unused]] const float* mean,
                             [[maybe_unused]] const float* inverse_scale) {
    if constexpr (kKind == TransformKind::kSqrt) return hn::CopySignToAbs(hn::Sqrt(hn::Abs(x)), x);
    if constexpr (kKind == TransformKind::kL2) return hn::Mul(x, norm);
    if constexpr (kKind == TransformKind::kStandardize) {
      return hn::Mul(hn::Sub(x, hn::LoadU(d, mean)), hn::LoadU(d, inverse_scale));
    }
    return x;
  };
  const size_t columns = padded_features(features);
  for (size_t begin = 0; begin < columns; begin += kChunk) {
    const size_t width = std::min(kChunk, columns - begin);
    float* out = packed + begin * batch + b * width;
    size_t i = 0;
    for (; i + n <= width && begin + i + n <= features; i += n) {
      const size_t c = begin + i;
      // Only standardizing has them; an offset to a null pointer is undefined, used or not.
      const float* mean = kKind == TransformKind::kStandardize ? t.mean + c : nullptr;
      const float* scale = kKind == TransformKind::kStandardize ? t.inverse_scale + c : nullptr;
      hn::Store(transform(load_features(row + c), mean, scale), d, out + i);
    }
    for (; i < width; i += n) {  // the last features, and padding
      const size_t c = begin + i;
      const size_t count = c < features ? std::min(n, features - c) : 0;
      Source rest[kPad] = {};
      float mean[kPad] = {}, inverse_scale[kPad] = {};
      std::copy_n(row + (count > 0 ? c : 0), count, rest);
      if (kKind == TransformKind::kStandardize && count > 0) {
        std::copy_n(t.mean + c, count, mean);
        std::copy_n(t.inverse_scale + c, count, inverse_scale);
      }
      hn::Store(transform(load_features(rest), mean, inverse_scale), d, out + i);
    }
  }
}

template <class Source>
void pack_any(const Source* row, size_t features, const RowTransform& t, size_t b, size_t batch,
              float* packed) {
  switch (t.kind) {
    case TransformKind::kNone:
      return pack<TransformKind::kNone>(row, features, t, b, batch, packed);
    case TransformKind::kSqrt:
      return pack<TransformKind::kSqrt>(row, features, t, b, batch, packed);
    case TransformKind::kL2:
      return pack<TransformKind::kL2>(row, features, t, b, batch, packed);
    case TransformKind::kStandardize:
      return pack<TransformKind::kStandardize>(row, features, t, b, batch, packed);
  }
}

void pack_float(const float* row, size_t features, const RowTransform& t, size_t b, size_t batch,
                float* packed) {
  pack_any(row, features, t, b, batch, packed);
}
void pack_half(const uint16_t* row, size_t features, const RowTransform& t, size_t b, size_t batch,
               float* packed) {
  pack_any(row, features, t, b, batch, packed);
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {

HWY_EXPORT(pass);
HWY_EXPORT(inputs);
HWY_EXPORT(pack_float);
HWY_EXPORT(pack_half);

void linear_pass(const LinearPass& p) { HWY_DYNAMIC_DISPATCH(pass)(p); }

void input_gradient(const InputGradient& job) { HWY_DYNAMIC_DISPATCH(inputs)(job); }

void pack_row(const float* row, size_t features, const RowTransform& transform, size_t b,
              size_t batch, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_float)(row, features, transform, b, batch, packed);
}

void pack_row(const uint16_t* row, size_t features, const RowTransform& transform, size_t b,
              size_t batch, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_half)(row, features, transform, b, batch, packed);
}

}  // namespace spml
#endif  // HWY_ONCE
