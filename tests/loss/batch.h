// A batch that owns its arrays, for tests of losses in either precision.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "spml/loss.h"

namespace spml {

template <class T>
struct Result {
  double value = 0;
  std::vector<T> dz, du;
};

struct Batch {
  size_t B = 0, L = 0;
  std::vector<double> z, u;                // logits, label-estimate logits
  std::vector<double> frozen_z, frozen_u;  // empty: the same numbers
  std::vector<int8_t> observed;
  uint64_t seed = 0, step = 0;

  Batch() = default;
  Batch(size_t rows, size_t labels)
      : B(rows), L(labels), z(rows * labels), u(rows * labels), observed(rows * labels) {}

  // Logits of deviation `spread`, rounded to float so that both precisions see the same numbers;
  // one observed positive per row, and a few observed negatives.
  static Batch random(size_t rows, size_t labels, uint64_t key, double spread = 2) {
    Batch batch(rows, labels);
    CounterRng rng(key, Stream::kSynthetic);
    for (size_t i = 0; i < batch.z.size(); ++i) {
      batch.z[i] = static_cast<float>(spread * rng.normal());
      batch.u[i] = static_cast<float>(spread * rng.normal());
      batch.observed[i] = rng.uniform() < 0.2 ? -1 : 0;
    }
    for (size_t i = 0; i < rows; ++i) batch.observed[i * labels + rng.below(labels)] = 1;
    return batch;
  }

  enum Wanted { kGradients, kValueOnly };

  template <class T>
  Result<T> evaluate(const Loss& loss, Wanted wanted = kGradients) const {
    const std::vector<T> tz(z.begin(), z.end()), tu(u.begin(), u.end());
    const std::vector<T> tfz(frozen_z.begin(), frozen_z.end());
    const std::vector<T> tfu(frozen_u.begin(), frozen_u.end());
    std::vector<T> scratch(loss.scratch_per_entry() * B * L);
    Result<T> result;
    result.dz.assign(B * L, T{123});  // gradients are overwritten
    result.du.assign(B * L, T{123});

    BasicLossInput<T> in;
    in.logits = {tz.data(), B, L};
    in.estimates = {tu.data(), B, L};
    if (!tfz.empty()) in.frozen_logits = {tfz.data(), B, L};
    if (!tfu.empty()) in.frozen_estimates = {tfu.data(), B, L};
    in.observed = {observed.data(), B, L};
    in.seed = seed;
    in.step = step;
    BasicLossOutput<T> out;
    out.scratch = scratch;
    if (wanted == kGradients) {
      out.logits = {result.dz.data(), B, L};
      out.estimates = {result.du.data(), B, L};
    }
    result.value = loss.evaluate(in, out);
    return result;
  }
};

// A registered loss with some setting of its parameters.
struct Case {
  const LossInfo* info;
  LossParameters params;

  LossSetup setup(size_t labels) const {
    LossParameters given = params;
    // Below zero: a multiple of L.
    for (auto& [name, value] : given) {
      if (value < 0) value *= -static_cast<double>(labels);
    }
    return {.labels = labels, .k = 0.3 * static_cast<double>(labels), .params = std::move(given)};
  }

  std::unique_ptr<const Loss> make(size_t labels) const {
    return make_loss(info->name, setup(labels));
  }
};

// Every registered loss: with its defaults, and with each parameter moved away from them.
inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const LossInfo* info : all_losses()) {
    cases.push_back({info, {}});
    LossParameters moved;
    for (const LossParameter& parameter : info->params) {
      const std::string name(parameter.name);
      const double value = name == "log_epsilon"      ? 1e-5
                           : name == "positive_scale" ? -1  // L
                                                      : 0.3 + 0.5 * parameter.default_value;
      cases.push_back({info, {{name, value}}});
      moved[name] = value;
    }
    if (moved.size() > 1) cases.push_back({info, moved});
  }
  return cases;
}

inline std::string describe(const Case& c) {
  std::string text(c.info->name);
  for (const auto& [name, value] : c.params) text += " " + name + "=" + std::to_string(value);
  return text;
}

inline void PrintTo(const Case& c, std::ostream* os) { *os << describe(c); }

}  // namespace spml
