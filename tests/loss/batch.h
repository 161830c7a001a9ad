// A batch that owns its arrays, for tests of losses in either precision.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "loss/info.h"

namespace spml {

template <class T>
struct Result {
  double value = 0;
  std::vector<T> dz, du;
  std::vector<int8_t> relabelled;
};

struct Batch {
  size_t B = 0, L = 0;
  std::vector<double> z, u;                // logits, label-estimate logits
  std::vector<double> frozen_z, frozen_u;  // empty: the same numbers
  std::vector<double> soft;                // soft labels, negative where there is none
  std::vector<double> priors;              // of the labels
  std::vector<double> shares;              // observed positive; empty: those of the batch
  std::vector<int8_t> observed;
  uint64_t seed = 0, step = 0;
  int epoch = 1, epochs = 1;

  Batch() = default;
  Batch(size_t rows, size_t labels)
      : B(rows),
        L(labels),
        z(rows * labels),
        u(rows * labels),
        soft(rows * labels, -1.0),
        priors(labels, 0.3),
        observed(rows * labels) {}

  // Logits of deviation `spread`, rounded to float so that both precisions see the same numbers;
  // one observed positive per row, a few observed negatives and soft labels. Schedules are under
  // way.
  static Batch random(size_t rows, size_t labels, uint64_t key, double spread = 2) {
    Batch batch(rows, labels);
    batch.epoch = 3;
    batch.epochs = 5;
    CounterRng rng(key, Stream::kSynthetic);
    for (size_t i = 0; i < batch.z.size(); ++i) {
      batch.z[i] = static_cast<float>(spread * rng.normal());
      batch.u[i] = static_cast<float>(spread * rng.normal());
      batch.observed[i] = rng.uniform() < 0.2 ? -1 : 0;
      if (rng.uniform() < 0.3) batch.soft[i] = static_cast<float>(rng.uniform());
    }
    for (double& prior : batch.priors) prior = static_cast<float>(rng.uniform());
    for (size_t i = 0; i < rows; ++i) batch.observed[i * labels + rng.below(labels)] = 1;
    for (size_t j = 0; j < labels; ++j) {
      batch.shares.push_back(static_cast<float>(0.1 + 0.9 * rng.uniform()));
    }
    return batch;
  }

  enum Wanted { kGradients, kValueOnly };

  template <class T>
  Result<T> evaluate(const Loss& loss, Wanted wanted = kGradients) const {
    const std::vector<T> tz(z.begin(), z.end()), tu(u.begin(), u.end());
    const std::vector<T> tfz(frozen_z.begin(), frozen_z.end());
    const std::vector<T> tfu(frozen_u.begin(), frozen_u.end());
    const std::vector<T> tsoft(soft.begin(), soft.end()), tpriors(priors.begin(), priors.end());
    const std::vector<T> tshares(shares.begin(), shares.end());
    std::vector<T> scratch(loss.scratch_per_entry() * B * L);
    Result<T> result;
    result.dz.assign(B * L, T{123});  // gradients are overwritten
    result.du.assign(B * L, T{123});
    result.relabelled = observed;

    BasicLossInput<T> in;
    in.logits = {tz.data(), B, L};
    in.estimates = {tu.data(), B, L};
    if (!tfz.empty()) in.frozen_logits = {tfz.data(), B, L};
    if (!tfu.empty()) in.frozen_estimates = {tfu.data(), B, L};
    in.observed = {observed.data(), B, L};
    in.soft_labels = {tsoft.data(), B, L};
    in.class_priors = tpriors;
    in.observed_shares = tshares;
    in.seed = seed;
    in.step = step;
    in.epoch = epoch;
    in.epochs = epochs;
    BasicLossOutput<T> out;
    out.scratch = scratch;
    out.relabelled = {result.relabelled.data(), B, L};
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
    const double L = static_cast<double>(labels);
    if (given.contains("positive_scale")) given["positive_scale"] *= L;
    return {.labels = labels, .k = 0.3 * L, .params = std::move(given)};
  }

  std::unique_ptr<const Loss> make(size_t labels) const {
    return make_loss(info->name, setup(labels));
  }
};

// A value of the parameter that is not its default.
inline double moved_value(const LossParameter& parameter) {
  const std::string_view name = parameter.name;
  if (name == "log_epsilon") return 1e-5;
  if (name == "positive_scale") return 1;  // times L
  if (name == "detach") return 0;
  if (name == "tau") return 0.8;
  if (name == "delta") return 9;
  return 0.3 + 0.5 * parameter.default_value;
}

// Every registered loss: with its defaults, with each parameter moved away from them, and with all
// of them moved. Every combined loss likewise, without the single moves.
inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto losses : {all_losses(), combined_losses()}) {
    for (const LossInfo* info : losses) {
      cases.push_back({info, {}});
      LossParameters moved;
      for (const LossParameter& parameter : info->params) {
        const std::string name(parameter.name);
        moved[name] = moved_value(parameter);
        if (info->base == nullptr) cases.push_back({info, {{name, moved[name]}}});
      }
      if (moved.size() > 1) cases.push_back({info, moved});
    }
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
