#include "step_parts.h"

#include <algorithm>
#include <chrono>

#include "base/rng.h"
#include "linear/kernels.h"

namespace spml {
namespace {

template <class Body>
double seconds_of(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Medians of body(i) for i in [0, n).
template <class Body>
double median_seconds(int n, const Body& body) {
  std::vector<double> seconds;
  for (int i = 0; i < n; ++i) {
    seconds.push_back(seconds_of([&] { body(static_cast<size_t>(i)); }));
  }
  return median(std::move(seconds));
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

StepParts time_parts(Trainer& trainer, int batches) {
  const Problem& problem = trainer.problem;
  const size_t B = trainer.setting.batch, L = problem.shape.labels, D = problem.shape.features;
  std::vector<std::vector<int32_t>> rows(static_cast<size_t>(batches), std::vector<int32_t>(B));
  CounterRng random(3, Stream::kSynthetic);
  for (auto& batch : rows) {
    const size_t first = random.below(problem.shape.rows);  // distinct rows, far apart
    for (size_t b = 0; b < B; ++b) {
      batch[b] = static_cast<int32_t>((first + b * (problem.shape.rows / B)) % problem.shape.rows);
    }
  }
  AlignedVector<float> packed(padded_features(D) * B), weights(padded_features(D) * L * 3, 1e-3f);
  AlignedVector<float> bias(L), logits(B * L), dlogits(B * L, 1e-3f), u(B * L), du(B * L);
  AlignedVector<float> sums(accumulators_size(L, B));
  AlignedVector<float> scratch(B * L * trainer.loss->scratch_per_entry());
  std::vector<int8_t> observed(B * L);

  StepParts parts;
  parts.labels = median_seconds(batches, [&](size_t i) {
    for (size_t b = 0; b < B; ++b) {
      trainer.labels.read_row(static_cast<size_t>(rows[i][b]), {observed.data() + b * L, L});
    }
  });
  parts.pack = median_seconds(batches, [&](size_t i) {
    pack_rows(problem.features, rows[i], FeatureTransform(), 0, B, packed.data());
  });

  const AdamStep adam({.lr = trainer.setting.lr}, 1000);
  LinearPass pass;
  pass.features = D;
  pass.labels = L;
  pass.last_label = L;
  pass.weights = weights.data();
  pass.update_rows = pass.forward_rows = packed.data();
  pass.dlogits = dlogits.data();
  pass.adam = &adam;
  pass.bias = bias.data();
  pass.logits = logits.data();
  pass.sums = sums.data();
  const auto time_pass = [&](size_t update_batch, size_t forward_batch) {
    pass.update_batch = update_batch;
    pass.forward_batch = forward_batch;
    return median_seconds(batches, [&](size_t) { linear_pass(pass); });
  };
  parts.update = time_pass(B, 0);
  parts.logits = time_pass(0, B);
  parts.pass = time_pass(B, B);

  LossInput in;
  in.logits = {logits.data(), B, L};
  in.observed = {observed.data(), B, L};
  LossOutput out;
  out.logits = {dlogits.data(), B, L};
  out.scratch = scratch;
  if (trainer.estimator) {
    in.estimates = {u.data(), B, L};
    out.estimates = {du.data(), B, L};
    const auto estimates = [&](size_t i) {
      trainer.estimator->fetch(rows[i], {u.data(), B, L});
      trainer.estimator->apply(rows[i], {du.data(), B, L});
    };
    LazyAdamTable& table = trainer.estimator->table();
    table.set_step(table.step() + 10'000);  // far from the start
    median_seconds(batches, estimates);
    parts.estimates = median_seconds(batches, estimates);
  }
  parts.loss = median_seconds(batches, [&](size_t) { trainer.loss->evaluate(in, out); });
  return parts;
}

}  // namespace spml
