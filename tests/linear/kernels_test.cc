// The fused pass against plain loops in double precision, on every SIMD target this machine has.
#include "linear/kernels.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/aligned.h"
#include "base/float16.h"
#include "testing.h"

namespace spml {
namespace {

struct Shape {
  size_t features, labels, batch;
};

// One step of training on random data: gradient and Adam for one batch, logits of another.
class Step {
 public:
  explicit Step(const Shape& shape) : shape_(shape), random_(11) {
    const auto& [D, L, B] = shape;
    for (auto* values : {&update_, &forward_}) fill(*values, B * D);
    fill(weight_, L * D);
    fill(dlogits_, L * B);
    fill(bias_, L);
  }

  // (L, D) new weights, then (B, L) logits, by plain loops.
  std::vector<double> expected(int steps) const {
    const auto& [D, L, B] = shape_;
    std::vector<double> w(weight_.begin(), weight_.end()), m(w.size()), v(w.size());
    for (int t = 1; t <= steps; ++t) {
      for (size_t l = 0; l < L; ++l) {
        for (size_t d = 0; d < D; ++d) {
          const size_t i = l * D + d;
          double g = config_.decay * w[i];
          for (size_t b = 0; b < B; ++b) g += double{dlogits_[l * B + b]} * update_[b * D + d];
          m[i] = 0.9 * m[i] + 0.1 * g;
          v[i] = 0.999 * v[i] + 0.001 * g * g;
          w[i] -= config_.lr * m[i] / (1 - std::pow(0.9, t)) /
                  (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + config_.eps);
        }
      }
    }
    std::vector<double> result = w;
    for (size_t b = 0; b < B; ++b) {
      for (size_t l = 0; l < L; ++l) {
        double z = bias_[l];
        for (size_t d = 0; d < D; ++d) z += w[l * D + d] * forward_[b * D + d];
        result.push_back(z);
      }
    }
    return result;
  }

  // The same through the kernels, the labels cut into `parts` ranges as threads would.
  std::vector<float> found(int steps, size_t parts) const {
    const auto& [D, L, B] = shape_;
    const size_t columns = padded_features(D);
    AlignedVector<float> packed(columns * L * 3), update(columns * B), forward(columns * B);
    AlignedVector<float> logits(B * L), sums(accumulators_size(L, B));
    for (size_t b = 0; b < B; ++b) {
      pack_row(update_.data() + b * D, D, {}, b, B, update.data());
      pack_row(forward_.data() + b * D, D, {}, b, B, forward.data());
    }
    const auto at = [&](size_t l, size_t d) -> float& {
      const size_t begin = d / kChunk * kChunk, width = std::min(kChunk, columns - begin);
      return packed[begin * 3 * L + l * 3 * width + (d - begin)];
    };
    for (size_t l = 0; l < L; ++l) {
      for (size_t d = 0; d < D; ++d) at(l, d) = weight_[l * D + d];
    }
    for (int t = 1; t <= steps; ++t) {
      const AdamStep adam(config_, static_cast<uint64_t>(t));
      for (size_t part = 0; part < parts; ++part) {
        LinearPass p;
        p.features = D;
        p.labels = L;
        p.first_label = L * part / parts;
        p.last_label = L * (part + 1) / parts;
        p.weights = packed.data();
        p.update_batch = B;
        p.update_rows = update.data();
        p.dlogits = dlogits_.data();
        p.adam = &adam;
        p.forward_batch = t == steps ? B : 0;
        p.forward_rows = forward.data();
        p.bias = bias_.data();
        p.logits = logits.data();
        p.sums = sums.data();
        linear_pass(p);
      }
    }
    std::vector<float> result;
    for (size_t l = 0; l < L; ++l) {
      for (size_t d = 0; d < D; ++d) result.push_back(at(l, d));
    }
    result.insert(result.end(), logits.begin(), logits.end());
    return result;
  }

 private:
  void fill(std::vector<float>& values, size_t n) {
    std::normal_distribution<float> normal;
    values.resize(n);
    for (float& value : values) value = 0.3f * normal(random_);
  }

  Shape shape_;
  std::mt19937 random_;
  AdamConfig config_{.lr = 1e-2, .decay = 1e-3};
  std::vector<float> update_, forward_, weight_, dlogits_, bias_;
};

const Shape kShapes[] = {{1, 1, 1},   {3, 2, 5},    {16, 4, 3},    {103, 14, 8}, {128, 5, 16},
                         {129, 6, 7}, {294, 6, 16}, {499, 37, 16}, {640, 1, 8},  {2048, 20, 16}};

// Runs `body` once for each SIMD target.
template <class Body>
void on_every_target(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(LinearPass, AgreesWithPlainLoopsOnEveryTarget) {
  on_every_target([] {
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(testing::Message() << shape.features << " x " << shape.labels);
      const Step step(shape);
      const auto expected = step.expected(3);
      const auto found = step.found(3, 1);
      ASSERT_EQ(expected.size(), found.size());
      double worst = 0;
      for (size_t i = 0; i < found.size(); ++i) {
        worst = std::max(worst, std::abs(expected[i] - found[i]));
      }
      EXPECT_LT(worst, 2e-4);
    }
  });
}

TEST(LinearPass, AnyPartitionOfTheLabelsGivesTheSameBits) {
  for (const Shape& shape : kShapes) {
    const Step step(shape);
    const auto whole = step.found(2, 1);
    for (const size_t parts : {2, 3, 7}) EXPECT_EQ(whole, step.found(2, parts));
  }
}

TEST(InputGradient, AgreesWithPlainLoopsOnEveryTargetForAnyRowsOfTheBatch) {
  on_every_target([] {
    for (const Shape& shape : kShapes) {
      const auto& [D, L, B] = shape;
      const size_t columns = padded_features(D);
      std::mt19937 random(5);
      std::normal_distribution<float> normal;
      AlignedVector<float> packed(columns * L * 3);
      std::vector<float> dlogits(L * B), found(B * D);
      std::ranges::generate(dlogits, [&] { return normal(random); });
      std::ranges::generate(packed, [&] { return normal(random); });
      InputGradient job;
      job.features = D;
      job.labels = L;
      job.batch = B;
      job.weights = packed.data();
      job.dlogits = dlogits.data();
      job.dinputs = found.data();
      for (const auto& [first, last] : {std::pair{size_t{0}, B / 2}, {B / 2, B}}) {
        job.first_row = first;
        job.last_row = last;
        input_gradient(job);
      }
      for (size_t b = 0; b < B; ++b) {
        for (size_t d = 0; d < D; ++d) {
          const size_t begin = d / kChunk * kChunk, width = std::min(kChunk, columns - begin);
          double expected = 0;
          for (size_t l = 0; l < L; ++l) {
            const float w = packed[begin * 3 * L + l * 3 * width + (d - begin)];
            expected += double{dlogits[l * B + b]} * w;
          }
          ASSERT_NEAR(found[b * D + d], expected, 1e-4)
              << D << " x " << L << ": " << b << ", " << d;
        }
      }
    }
  });
}

// Element d of row b of a packed batch.
float packed_at(const AlignedVector<float>& packed, size_t D, size_t B, size_t b, size_t d) {
  const size_t begin = d / kChunk * kChunk;
  const size_t width = std::min(kChunk, padded_features(D) - begin);
  return packed[begin * B + b * width + (d - begin)];
}

TEST(PackRow, TransformsAndPadsOnEveryTarget) {
  on_every_target([] {
    for (const size_t D : {1, 15, 16, 130, 300}) {
      std::vector<float> row(D), mean(D), inverse_scale(D);
      double squares = 0;
      for (size_t d = 0; d < D; ++d) {
        row[d] = (d % 2 == 0 ? 1.0f : -1.0f) * static_cast<float>(d + 1) / 16;
        mean[d] = static_cast<float>(d) / 8;
        inverse_scale[d] = 1.0f / static_cast<float>(d + 1);
        squares += double{row[d]} * row[d];
      }
      std::vector<uint16_t> half(D);
      for (size_t d = 0; d < D; ++d) half[d] = float_to_half(row[d]);
      const auto check = [&](TransformKind kind, auto expected) {
        const RowTransform transform{kind, mean.data(), inverse_scale.data()};
        for (const bool from_half : {false, true}) {
          AlignedVector<float> packed(padded_features(D) * 2, -1.0f);
          if (from_half) {
            pack_row(half.data(), D, transform, 1, 2, packed.data());
          } else {
            pack_row(row.data(), D, transform, 1, 2, packed.data());
          }
          for (size_t d = 0; d < D; ++d) {
            EXPECT_NEAR(packed_at(packed, D, 2, 1, d), expected(d), 1e-5) << d;
          }
          for (size_t d = D; d < padded_features(D); ++d) {
            EXPECT_EQ(packed_at(packed, D, 2, 1, d), 0.0f) << d;
          }
        }
      };
      check(TransformKind::kNone, [&](size_t d) { return row[d]; });
      check(TransformKind::kSqrt,
            [&](size_t d) { return std::copysign(std::sqrt(std::abs(row[d])), row[d]); });
      check(TransformKind::kL2, [&](size_t d) { return row[d] / std::sqrt(squares); });
      check(TransformKind::kStandardize,
            [&](size_t d) { return (row[d] - mean[d]) * inverse_scale[d]; });
    }
  });
}

}  // namespace
}  // namespace spml
