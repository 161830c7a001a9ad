#include "suggest/out_of_fold.h"

#include <mutex>
#include <numeric>

#include "base/fail.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "fit/measure.h"
#include "fit/train.h"

namespace spml {

LoopEvents stoppable(const SuggestEvents& events) {
  return until(events.stop_requested, "stopped; nothing was written");
}

Dataset without_truth(const Dataset& data, View<const int8_t> known) {
  Dataset seen;
  seen.folder = data.folder;
  seen.name = data.name;
  seen.classes = data.classes;
  seen.expected_positives = data.expected_positives;
  seen.train_file.features = FeatureMatrix(data.train_file.features.view());
  seen.train_file.observed = LabelMatrix(known);
  if (!data.test.truth.empty() && !data.test.features.empty()) {
    std::vector<int8_t> truth(data.test.rows() * data.labels());
    for (size_t i = 0; i < data.test.rows(); ++i) {
      data.test.truth.read_row(i, std::span(truth).subspan(i * data.labels(), data.labels()));
    }
    seen.test.truth = LabelMatrix(std::move(truth), data.test.rows(), data.labels());
    seen.test.features = FeatureMatrix(data.test.features.view());
  }
  return seen;
}

std::vector<size_t> draw_folds(size_t n, size_t folds, uint64_t seed) {
  std::vector<size_t> fold(n);
  for (size_t i = 0; i < n; ++i) fold[i] = i % folds;
  CounterRng rng(seed, Stream::kTrials);
  for (size_t i = n; i > 1; --i) std::swap(fold[i - 1], fold[rng.below(i)]);
  return fold;
}

Matrix<float> out_of_fold_logits(const Dataset& data, const TrainConfig& config,
                                 const std::vector<int32_t>& rows, size_t folds, int threads,
                                 const SuggestEvents& events) {
  const size_t labels = data.labels();
  if (folds < 2 || rows.size() < folds) {
    fail_usage("--folds: expected 0, or 2 to {} (the number of rows), found {}", rows.size(),
               folds);
  }
  const std::vector<size_t> fold = draw_folds(rows.size(), folds, config.seed);
  Matrix<float> logits(rows.size(), labels);
  std::mutex told;
  size_t done = 0;
  parallel_for(folds, threads, [&](size_t f) {
    Split split;
    std::vector<size_t> places;
    for (size_t i = 0; i < rows.size(); ++i) {
      (fold[i] == f ? split.val : split.train).push_back(rows[i]);
      if (fold[i] == f) places.push_back(i);
    }
    Session session(data, config, 1, {}, {}, &split);
    train(session, stoppable(events));
    std::vector<float> scores(places.size() * labels);
    session.model->predict(Part::kTrainFile, split.val, 0, {scores.data(), places.size(), labels});
    for (size_t i = 0; i < places.size(); ++i) {
      std::copy_n(&scores[i * labels], labels, logits.view().row(places[i]));
    }
    const std::lock_guard lock(told);
    ++done;
    if (events.model) events.model(done, folds);
  });
  return logits;
}

InSample in_sample_logits(const Dataset& data, const TrainConfig& config, const Split& split,
                          int threads, const SuggestEvents& events) {
  Session session(data, config, threads, {}, {}, &split);
  train(session, stoppable(events));
  InSample result;
  result.logits = Matrix<float>(split.train.size(), data.labels());
  session.model->predict(Part::kTrainFile, split.train, 0, result.logits.view());
  result.test_map = measure(session).test_map;
  if (events.model) events.model(1, 1);
  return result;
}

}  // namespace spml
