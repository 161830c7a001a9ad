#include "fit/closed_form.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "convex/solve.h"
#include "linear/linear_model.h"
#include "ridge/known_labels.h"
#include "train/finite_scores.h"

namespace spml {
namespace {

// Of all labels, also where this process has a part of them.
Matrix<int8_t> known_labels(const Session& session) {
  const std::vector<int32_t>& rows = session.prepared.split.train;
  Matrix<int8_t> known(rows.size(), session.data.labels());
  for (size_t i = 0; i < rows.size(); ++i) {
    session.prepared.observed().read_row(static_cast<size_t>(rows[i]), known.row(i));
  }
  return known;
}

std::string what_is_solved(const Session& session) {
  return takes_steps(session.config) ? "--blend-ridge"
                                     : fmt::format("loss {}", session.config.loss);
}

void check_has_all_rows(const Session& session) {
  if (session.share != nullptr) {
    fail("{} needs all rows at once; drop --shard-by rows", what_is_solved(session));
  }
}

void check_can_solve(const Session& session) {
  check_has_all_rows(session);
  const std::string what = what_is_solved(session);
  const size_t features = session.data.train_file.features.cols();
  const size_t rows = session.prepared.split.train.size();
  if (!LeastSquares::can_fit(rows, features)) {
    fail("{}: expected at most {} features or rows, found {} and {}; leave it out", what,
         LeastSquares::kMostOrder, features, rows);
  }
  MemoryBudget().require(bytes_to_fit(rows, session.data.labels(), features), what);
}

// The least squares of all labels as logits of this process's.
LinearFit ridge_solution(const Session& session, View<const int8_t> known, double strength,
                         const LoopEvents& events) {
  check_can_solve(session);
  const auto& model = dynamic_cast<const LinearModel&>(*session.model);
  const KnownLabelClassifier squares(
      session.data.train_file.features, model.transform(), session.prepared.split.train, known,
      session.prepared.k.value_or(1), session.threads, strength, events.between_parts);
  const LinearFit fit = squares.fit(known).fit;
  const size_t features = session.data.train_file.features.cols();
  const LabelPart& part = session.part;
  LinearFit mine;
  for (size_t i = part.first * features; i < (part.first + part.count) * features; ++i) {
    mine.weight.push_back(kScoreToLogit * fit.weight[i]);
  }
  for (size_t j = part.first; j < part.first + part.count; ++j) {
    mine.bias.push_back(kScoreToLogit * (fit.bias[j] - 0.5f));
  }
  return mine;
}

// What src/convex solves for; the other loss without steps is least squares.
std::optional<MarginLoss> margin_loss(const Session& session) {
  if (session.loss_info.name == "logistic") return MarginLoss::kLogistic;
  if (session.loss_info.name == "squared-hinge") return MarginLoss::kSquaredHinge;
  return std::nullopt;
}

// One label against the rest, for the labels of this process.
LinearFit margin_solution(const Session& session, View<const int8_t> known,
                          const LoopEvents& events) {
  check_has_all_rows(session);
  const FeatureMatrix& features = session.data.train_file.features;
  const size_t rows = known.rows, labels = session.part.count;
  MemoryBudget().require(saturating_sum(bytes_to_solve(rows, labels, features.cols()),
                                        saturating_product(rows, features.cols(), sizeof(float))),
                         what_is_solved(session));
  Matrix<float> targets(labels, rows), weights(labels, rows, 1.0f);
  const auto unknown = static_cast<float>(session.params.at("gamma"));
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < labels; ++j) {
      const int8_t observed = known(i, session.part.first + j);
      targets(j, i) = observed > 0;
      if (observed == 0) weights(j, i) = unknown;
    }
  }
  const auto& model = dynamic_cast<const LinearModel&>(*session.model);
  ConvexProblem problem;
  problem.loss = *margin_loss(session);
  problem.targets = targets;
  problem.weights = weights;
  problem.strength = session.params.at("C");
  problem.threads = session.threads;
  problem.between_parts = events.between_parts;
  const DenseProducts products(features, model.transform(), session.prepared.split.train,
                               session.threads);
  return solve_convex(products, problem).fit;
}

// body(first, logits (count, L)) over the training rows, some at a time.
template <class Body>
void for_training_logits(const Session& session, const Body& body) {
  const std::vector<int32_t>& rows = session.prepared.split.train;
  constexpr size_t kRowsAtOnce = 1024;
  for (size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, rows.size() - first);
    Matrix<float> logits(count, session.part.count);
    session.model->predict(Part::kTrainFile, std::span(rows).subspan(first, count), 0,
                           logits.view());
    body(first, logits);
  }
}

struct Spread {
  double sum = 0, squares = 0, count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt(std::max(squares / count - mean() * mean(), 1e-12)); }
};

// Of each label's logits, by the model as it is.
std::vector<Spread> spreads(const Session& session) {
  std::vector<Spread> labels(session.part.count);
  for_training_logits(session, [&](size_t, const Matrix<float>& logits) {
    for (size_t i = 0; i < logits.rows(); ++i) {
      for (size_t j = 0; j < labels.size(); ++j) labels[j].add(logits(i, j));
    }
  });
  return labels;
}

double training_loss(const Session& session, View<const int8_t> known) {
  double sum = 0;
  for_training_logits(session, [&](size_t first, const Matrix<float>& logits) {
    Matrix<int8_t> labels(logits.rows(), logits.cols());
    for (size_t i = 0; i < labels.rows(); ++i) {
      std::copy_n(known.row(first + i) + session.part.first, labels.cols(), labels.row(i).data());
    }
    LossInput in;
    in.logits = logits;
    in.observed = labels;
    sum += session.loss->evaluate(in, {}) * static_cast<double>(logits.rows());
  });
  if (session.part.is_split()) session.part.cluster->sum({&sum, 1});
  return sum / static_cast<double>(session.prepared.split.train.size());
}

}  // namespace

void solve(Session& session, const LoopEvents& events) {
  const auto start = std::chrono::steady_clock::now();
  auto& model = dynamic_cast<LinearModel&>(*session.model);
  const Matrix<int8_t> known = known_labels(session);
  const LinearFit fit = margin_loss(session)
                            ? margin_solution(session, known, events)
                            : ridge_solution(session, known, session.params.at("strength"), events);
  model.set_weights(fit.weight, fit.bias);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  LoopState& state = session.loop.state();
  const Evaluation validation = session.validation.evaluate(model);
  expect_finite(validation, "the classifier that was solved for");
  state.step = 1;
  state.best_epoch = 1;
  state.best_val_map = validation.map.map;
  state.train_seconds = seconds.count();
  EpochRecord record;
  record.epoch = 1;
  record.train_loss = training_loss(session, known);
  record.val_map = validation.map.map;
  record.khat = validation.khat;
  record.seconds = seconds.count();
  state.epochs = {record};
  if (events.after_step) events.after_step(state);
  if (events.after_epoch) events.after_epoch(state.epochs.back());
}

void blend_with_solution(Session& session, const LoopEvents& events) {
  auto& model = dynamic_cast<LinearModel&>(*session.model);
  const std::vector<Spread> trained = spreads(session);
  std::vector<float> weight = model.weight();
  std::vector<float> bias(model.bias().begin(), model.bias().end());
  const LinearFit fit = ridge_solution(session, known_labels(session), 0, events);
  model.set_weights(fit.weight, fit.bias);
  const std::vector<Spread> solved = spreads(session);
  const size_t features = session.data.train_file.features.cols();
  for (size_t j = 0; j < bias.size(); ++j) {
    const double scale = trained[j].deviation() / solved[j].deviation();
    const double shift = trained[j].mean() - scale * solved[j].mean();
    for (size_t c = j * features; c < (j + 1) * features; ++c) {
      weight[c] = static_cast<float>((weight[c] + scale * fit.weight[c]) / 2);
    }
    bias[j] = static_cast<float>((bias[j] + scale * fit.bias[j] + shift) / 2);
  }
  model.set_weights(weight, bias);
}

}  // namespace spml
