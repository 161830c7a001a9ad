#include "vision/image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace spml {
namespace {

// Weights are fixed-point numbers of 22 bits: 8 bits of pixel and 2 of headroom fill 32.
constexpr int kPrecision = 32 - 8 - 2;
constexpr int32_t kHalf = 1 << (kPrecision - 1);

// As Pillow rounds: half a pixel is added first, and that sum is rounded like any other.
int rounded(double x) { return static_cast<int>(std::floor(x + 0.5)); }

// For each output position, the first input position and its weights.
struct Taps {
  size_t most = 0;  // taps per position, the stride of `weights`
  std::vector<size_t> first;
  std::vector<size_t> count;
  std::vector<int32_t> weights;
};

// The triangle filter, as wide as the step between output positions when that exceeds one pixel
// (so that shrinking averages): w(x) = max(0, 1 - |x - centre| / max(1, in/out)), normalised.
Taps triangle_taps(int in, int out) {
  const double scale = static_cast<double>(in) / out;
  const double support = std::max(scale, 1.0);
  Taps taps;
  taps.most = static_cast<size_t>(std::ceil(support)) * 2 + 1;
  taps.weights.resize(taps.most * static_cast<size_t>(out));
  std::vector<double> w(taps.most);
  for (int i = 0; i < out; ++i) {
    const double centre = (i + 0.5) * scale;
    const int begin = std::max(rounded(centre - support), 0);
    const int end = std::min(rounded(centre + support), in);
    double total = 0;
    for (int x = begin; x < end; ++x) {
      const double distance = std::abs((x - centre + 0.5) * (1.0 / support));
      w[static_cast<size_t>(x - begin)] = std::max(0.0, 1.0 - distance);
      total += w[static_cast<size_t>(x - begin)];
    }
    int32_t* fixed = taps.weights.data() + taps.most * static_cast<size_t>(i);
    for (int k = 0; k < end - begin; ++k) {
      const double weight = total == 0 ? 0 : w[static_cast<size_t>(k)] / total;
      fixed[k] = rounded(weight * (1 << kPrecision));
    }
    taps.first.push_back(static_cast<size_t>(begin));
    taps.count.push_back(static_cast<size_t>(end - begin));
  }
  return taps;
}

// Weights are not negative and sum to about 1, so a sum can pass 255 by rounding only.
uint8_t to_pixel(int32_t sum) { return static_cast<uint8_t>(std::min(sum >> kPrecision, 255)); }

Image resize_rows(const Image& image, int width) {
  const Taps taps = triangle_taps(image.width, width);
  Image out{width, image.height, std::vector<uint8_t>(3 * size_t(width) * size_t(image.height))};
  uint8_t* to = out.rgb.data();
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = image.rgb.data() + 3 * size_t(y) * size_t(image.width);
    for (size_t x = 0; x < size_t(width); ++x, to += 3) {
      const int32_t* weight = taps.weights.data() + taps.most * x;
      const uint8_t* from = row + 3 * taps.first[x];
      int32_t r = kHalf, g = kHalf, b = kHalf;
      for (size_t k = 0; k < taps.count[x]; ++k, from += 3) {
        r += from[0] * weight[k];
        g += from[1] * weight[k];
        b += from[2] * weight[k];
      }
      to[0] = to_pixel(r);
      to[1] = to_pixel(g);
      to[2] = to_pixel(b);
    }
  }
  return out;
}

Image resize_columns(const Image& image, int height) {
  const Taps taps = triangle_taps(image.height, height);
  const size_t row_bytes = 3 * size_t(image.width);
  Image out{image.width, height, std::vector<uint8_t>(row_bytes * size_t(height))};
  std::vector<int32_t> sums(row_bytes);
  for (size_t y = 0; y < size_t(height); ++y) {
    std::fill(sums.begin(), sums.end(), kHalf);
    for (size_t k = 0; k < taps.count[y]; ++k) {
      const int32_t weight = taps.weights[taps.most * y + k];
      const uint8_t* row = image.rgb.data() + (taps.first[y] + k) * row_bytes;
      for (size_t i = 0; i < row_bytes; ++i) sums[i] += row[i] * weight;
    }
    std::transform(sums.begin(), sums.end(), out.rgb.begin() + ptrdiff_t(y * row_bytes), to_pixel);
  }
  return out;
}

}  // namespace

Image resize_bilinear(const Image& image, int width, int height) {
  // Along rows first, with 8-bit pixels between the two passes: the order shows in the last bit.
  Image wide = width == image.width ? image : resize_rows(image, width);
  return height == image.height ? std::move(wide) : resize_columns(wide, height);
}

}  // namespace spml
