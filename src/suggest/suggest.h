// Which labels of a training file are probably missing: unknown labels ranked by their probability
// of being present, according to classifiers that did not see their row. docs/suggest.md describes
// the method and its measurements. The truth is never read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridge/known_labels.h"
#include "run/trained_model.h"
#include "suggest/missing.h"
#include "suggest/out_of_fold.h"
#include "suggest/ranking.h"

namespace spml {

// The given rows of a matrix (N, L).
Matrix<int8_t> take_rows(View<const int8_t> labels, const std::vector<int32_t>& rows);

// Keeps the expensive parts between calls while labels become known: a review asks for new
// probabilities after a few answers and retrains after many.
class Suggester {
 public:
  // Judges `rows` of the training file. The data must outlive this object; its labels are not used:
  // `known` (N, L) are the labels of the whole training file. The configuration's loss must not
  // need truth. Of the events only stop_requested is used, here and later.
  Suggester(const Dataset& data, const TrainConfig& config, std::vector<int32_t> rows,
            View<const int8_t> known, int threads, const SuggestEvents& events = {});

  const std::vector<int32_t>& rows() const { return rows_; }

  // Records the labels (N, L) known before the first question; those known since are answers.
  void remember(View<const int8_t> before) { before_ = take_rows(before, rows_); }

  // Trains `folds` classifiers with the configuration's settings.
  void retrain(View<const int8_t> known, size_t folds, const SuggestEvents& events = {});
  // Uses the logits (n, L) of an existing classifier instead.
  void use_logits(Matrix<float> logits) { logits_ = std::move(logits); }

  // (n, L): the probability that an unknown label is present, 0 for known ones. Fits the
  // classifier.
  Matrix<float> probabilities(View<const int8_t> known);

  // Fits the linear classifier of known labels to these.
  void fit(View<const int8_t> known);
  // As last fitted; empty if there are too many features to fit it.
  const std::optional<LinearFit>& classifier() const { return fit_; }
  const FeatureTransform* transform() const;

 private:
  const Dataset& data_;
  TrainConfig config_;
  std::vector<int32_t> rows_;
  int threads_;
  std::function<void()> between_parts_;
  std::optional<KnownLabelClassifier> squares_;
  std::optional<LinearFit> fit_;
  Matrix<float> left_out_;  // (n, L)
  Matrix<float> logits_;    // (n, L)
  Matrix<int8_t> before_;   // (n, L) or empty
};

// The labels (N, L) of the training file that a run is trained on: read, or drawn as for the run.
Matrix<int8_t> observed_labels(const Dataset& data, const TrainConfig& config);

struct SuggestOptions {
  size_t folds = 5;  // 0: the run itself
  RankingOptions ranking;
  int threads = 1;
};

struct ClassSuggestions {
  std::string name;
  double expected_missing = 0;
  size_t known = 0;   // positives
  size_t listed = 0;  // suggestions
};

struct Suggestions {
  std::vector<Suggestion> list;
  double expected_missing = 0;
  std::vector<ClassSuggestions> per_class;
};

// Error naming config.json if the run is not linear, needed truth, or, with folds, cannot be
// trained again.
void check_can_suggest(const TrainedModel& run, size_t folds);

// Error for such a run, and for one that does not match the data.
Suggestions suggest(const Dataset& data, TrainedModel& run, const SuggestOptions& options,
                    const SuggestEvents& events = {});

}  // namespace spml
