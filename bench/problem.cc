#include "problem.h"

#include <limits>
#include <numeric>

#include "base/rng.h"

namespace spml {
namespace {

std::vector<float> random_features(size_t n) {
  std::vector<float> values(n);
  CounterRng random(1, Stream::kSynthetic);
  for (float& x : values) x = static_cast<float>(random.uniform());
  return values;
}

std::vector<int8_t> random_labels(size_t rows, size_t labels) {
  std::vector<int8_t> observed(rows * labels);
  CounterRng random(2, Stream::kSynthetic);
  for (size_t i = 0; i < rows; ++i) observed[i * labels + random.below(labels)] = 1;
  return observed;
}

std::vector<int32_t> first_rows(size_t n) {
  std::vector<int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

LossSetup loss_setup(const Problem& problem) {
  return {.labels = problem.shape.labels, .k = problem.k, .params = {}};
}

LinearConfig linear_config(const Problem& problem, const Setting& setting) {
  LinearConfig config;
  config.features = problem.shape.features;
  config.labels = problem.shape.labels;
  config.batch = setting.batch;
  config.adam.lr = setting.lr;
  config.threads = setting.threads;
  return config;
}

std::unique_ptr<TableEstimator> make_estimator(const Problem& problem, double lr) {
  AdamConfig adam;
  adam.lr = lr;
  const auto [name, rows, features, labels] = problem.shape;
  auto estimator = std::make_unique<TableEstimator>(rows, labels, adam);
  for (size_t i = 0; i < rows; ++i) {
    estimator->start_row(i, std::span(problem.labels).subspan(i * labels, labels), 0, i);
  }
  return estimator;
}

LoopPlan make_plan(const Problem& problem, const Setting& setting) {
  LoopPlan plan;
  plan.rows = problem.rows;
  plan.batch = setting.batch;
  plan.epochs = std::numeric_limits<int>::max();  // until the owner stops it
  return plan;
}

}  // namespace

Problem::Problem(const Shape& s)
    : shape(s),
      values(random_features(s.rows * s.features)),
      labels(random_labels(s.rows, s.labels)),
      rows(first_rows(s.rows)),
      features(View<const float>{values.data(), s.rows, s.features}),
      observed(labels, s.rows, s.labels) {}

Trainer::Trainer(const Problem& p, const Setting& s)
    : problem(p),
      setting(s),
      info(find_loss(s.loss)),
      params(resolve_parameters(info, loss_setup(p))),
      loss(make_loss(s.loss, loss_setup(p))),
      recording(*loss),
      labels(p.observed, p.truth, info),
      model(linear_config(p, s), FeatureTransform(), &p.features, nullptr),
      estimator(info.uses_estimates ? make_estimator(p, s.lr * params.at("estimate_lr_factor"))
                                    : nullptr),
      validation(Part::kTrainFile, std::span(p.rows).first(1), p.observed, s.threads),
      loop(make_plan(p, s), recording, model, estimator.get(), labels, validation) {}

}  // namespace spml
