#include "vision/pooling.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spml {
namespace {

// x^p for x from 0 to 1. The usual p are small whole numbers, for which products are much faster.
double power(double x, double p, int whole) {
  switch (whole) {
    case 1:
      return x;
    case 2:
      return x * x;
    case 3:
      return x * x * x;
    case 4:
      return (x * x) * (x * x);
    default:
      return std::pow(x, p);
  }
}

class Mirrored : public Backbone {
 public:
  explicit Mirrored(std::unique_ptr<Backbone> backbone) : backbone_(std::move(backbone)) {}

  size_t features() const override { return backbone_->features(); }

  void run(std::span<const float> images, int size, View<float> out) override {
    backbone_->run(images, size, out);
    const auto side = static_cast<ptrdiff_t>(size);
    images_.assign(images.begin(), images.end());
    for (auto row = images_.begin(); row != images_.end(); row += side) {
      std::reverse(row, row + side);
    }
    features_.resize(out.size());
    backbone_->run(images_, size, {features_.data(), out.rows, out.cols});
    for (size_t i = 0; i < out.size(); ++i) out.data[i] = (out.data[i] + features_[i]) / 2;
  }

 private:
  std::unique_ptr<Backbone> backbone_;
  std::vector<float> images_, features_;
};

}  // namespace

void max_pool(View<const float> map, float* out) {
  std::copy_n(map.row(0), map.cols, out);
  for (size_t i = 1; i < map.rows; ++i) {
    const float* x = map.row(i);
    for (size_t j = 0; j < map.cols; ++j) out[j] = std::max(out[j], x[j]);
  }
}

void gem_pool(View<const float> map, double p, float* out) {
  max_pool(map, out);
  std::vector<double> sum(map.cols, 0.0), inverse(map.cols, 0.0);
  for (size_t j = 0; j < map.cols; ++j) inverse[j] = out[j] > 0 ? 1.0 / double{out[j]} : 0.0;
  const int whole = p == std::floor(p) && p <= 4 ? static_cast<int>(p) : 0;
  for (size_t i = 0; i < map.rows; ++i) {
    const float* x = map.row(i);
    for (size_t j = 0; j < map.cols; ++j) sum[j] += power(double{x[j]} * inverse[j], p, whole);
  }
  const auto n = static_cast<double>(map.rows);
  for (size_t j = 0; j < map.cols; ++j) {
    out[j] = static_cast<float>(double{out[j]} * std::pow(sum[j] / n, 1 / p));
  }
}

std::unique_ptr<Backbone> make_mirrored(std::unique_ptr<Backbone> backbone) {
  return std::make_unique<Mirrored>(std::move(backbone));
}

}  // namespace spml
