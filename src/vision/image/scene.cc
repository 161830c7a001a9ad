#include "vision/image/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace spml {
namespace {

using Colour = std::array<double, 3>;  // RGB in [0, 1]

constexpr size_t kShapes = 5;

Colour from_hue(double hue, double saturation, double value) {
  Colour colour;
  for (size_t c = 0; c < 3; ++c) {
    const double t = std::fmod(hue * 6 + 5 - 2 * static_cast<double>(c), 6.0);
    colour[c] = value * (1 - saturation * std::clamp(std::min(t, 4 - t), 0.0, 1.0));
  }
  return colour;
}

// Whether the point (x, y), in units of the object's radius, belongs to the shape.
bool inside(size_t shape, double x, double y) {
  const double r = std::hypot(x, y);
  switch (shape) {
    case 0:
      return r < 1;  // disc
    case 1:
      return std::max(std::abs(x), std::abs(y)) < 0.85;  // square
    case 2:
      return y < 0.8 && y > 2 * std::abs(x) - 1;  // triangle
    case 3:
      return r < 1 && r > 0.55;  // ring
    default:
      return r < 1.1 && std::min(std::abs(x), std::abs(y)) < 0.3;  // cross
  }
}

class Canvas {
 public:
  explicit Canvas(int size) : size_(static_cast<size_t>(size)) {
    image_.width = image_.height = size;
    image_.rgb.resize(3 * size_ * size_);
  }

  // Calls colour_at(x, y) with the pixel's place in [0, 1) and keeps what it changes.
  template <class F>
  void paint(F&& colour_at) {
    for (size_t y = 0; y < size_; ++y) {
      for (size_t x = 0; x < size_; ++x) {
        uint8_t* pixel = &image_.rgb[3 * (y * size_ + x)];
        Colour colour{pixel[0] / 255.0, pixel[1] / 255.0, pixel[2] / 255.0};
        colour_at((static_cast<double>(x) + 0.5) / static_cast<double>(size_),
                  (static_cast<double>(y) + 0.5) / static_cast<double>(size_), colour);
        for (size_t c = 0; c < 3; ++c) {
          pixel[c] = static_cast<uint8_t>(std::lround(255 * std::clamp(colour[c], 0.0, 1.0)));
        }
      }
    }
  }
  Image take() { return std::move(image_); }

 private:
  size_t size_;
  Image image_;
};

// From one pale colour to another, in some direction, with a little noise.
void paint_background(Canvas& canvas, CounterRng& random) {
  const Colour from = from_hue(random.uniform(), 0.25, 0.4 + 0.5 * random.uniform());
  const Colour to = from_hue(random.uniform(), 0.25, 0.4 + 0.5 * random.uniform());
  const double angle = 2 * std::numbers::pi * random.uniform();
  canvas.paint([&](double x, double y, Colour& colour) {
    const double t = 0.5 + (x - 0.5) * std::cos(angle) + (y - 0.5) * std::sin(angle);
    const double noise = 0.06 * (random.uniform() - 0.5);
    for (size_t c = 0; c < 3; ++c) colour[c] = from[c] + (to[c] - from[c]) * t + noise;
  });
}

void paint_object(Canvas& canvas, size_t label, size_t labels, CounterRng& random) {
  const size_t hues = (labels + kShapes - 1) / kShapes;
  const size_t place = label / kShapes;
  const double hue =
      (static_cast<double>(place) + 0.15 * random.uniform()) / static_cast<double>(hues);
  const Colour fill = from_hue(hue, 0.85, 0.6 + 0.4 * random.uniform());
  const double radius = 0.12 + 0.13 * random.uniform();
  const double cx = 0.15 + 0.7 * random.uniform(), cy = 0.15 + 0.7 * random.uniform();
  const double tilt = 0.5 * (random.uniform() - 0.5);
  const double cosine = std::cos(tilt) / radius, sine = std::sin(tilt) / radius;
  canvas.paint([&](double x, double y, Colour& colour) {
    const double dx = x - cx, dy = y - cy;
    if (inside(label % kShapes, dx * cosine - dy * sine, dx * sine + dy * cosine)) colour = fill;
  });
}

}  // namespace

Image draw_scene(std::span<const int8_t> labels, int size, uint64_t seed, uint64_t key) {
  CounterRng random(seed, Stream::kScenes, key);
  Canvas canvas(size);
  paint_background(canvas, random);
  for (size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] > 0) paint_object(canvas, j, labels.size(), random);
  }
  return canvas.take();
}

}  // namespace spml
