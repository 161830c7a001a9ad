#include "vision/image/normalise.h"

#include <array>

#include "vision/weights/resnet_weights.h"

namespace spml {
namespace {

// x / 255 -> (x / 255 - mean) / std
struct Channel {
  float scale, shift;
  float operator()(uint8_t x) const { return static_cast<float>(x) * scale - shift; }
};

Channel channel(size_t c) { return {1.0f / (255.0f * kImageStd[c]), kImageMean[c] / kImageStd[c]}; }

}  // namespace

void normalise(const Image& image, std::span<float> out) {
  const size_t pixels = image.rgb.size() / 3;
  for (size_t c = 0; c < 3; ++c) {
    const Channel to_float = channel(c);
    for (size_t i = 0; i < pixels; ++i) out[c * pixels + i] = to_float(image.rgb[3 * i + c]);
  }
}

void normalise_channels_last(const Image& image, bool flip, std::span<float> out) {
  const std::array channels{channel(0), channel(1), channel(2)};
  const auto width = static_cast<size_t>(image.width), height = static_cast<size_t>(image.height);
  for (size_t y = 0; y < height; ++y) {
    const uint8_t* from = image.rgb.data() + 3 * y * width;
    float* to = out.data() + 3 * y * width;
    for (size_t x = 0; x < width; ++x) {
      const size_t source = flip ? width - 1 - x : x;
      for (size_t c = 0; c < 3; ++c) to[3 * x + c] = channels[c](from[3 * source + c]);
    }
  }
}

}  // namespace spml
