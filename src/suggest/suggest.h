// Which labels of a training file are probably missing: unknown labels ranked by how likely they
// are to be there, judged by classifiers that did not see their row. docs/suggest.md has the method
// and what was measured. Truth is never looked at.
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

// The rows of a matrix (N, L) that are listed.
Matrix<int8_t> take_rows(View<const int8_t> labels, const std::vector<int32_t>& rows);

// Keeps what is expensive while labels become known: a review asks for probabilities after a few
// answers and retrains after many.
class Suggester {
 public:
  // `rows` of the training file are judged; the data must outlive this object, its labels are not
  // used. `known` (N, L) are the labels of the whole training file. The configuration's loss may
  // not need truth. Of the events, only the wish to stop is asked for, now and later.
  Suggester(const Dataset& data, const TrainConfig& config, std::vector<int32_t> rows,
            View<const int8_t> known, int threads, const SuggestEvents& events = {});

  const std::vector<int32_t>& rows() const { return rows_; }

  // The labels (N, L) that were known before the first question, where that is remembered: what has
  // become known since are answers.
  void remember(View<const int8_t> before) { before_ = take_rows(before, rows_); }

  // Trains `folds` classifiers with the configuration's settings.
  void retrain(View<const int8_t> known, size_t folds, const SuggestEvents& events = {});
  // Or takes the logits (n, L) of a classifier that is there.
  void use_logits(Matrix<float> logits) { logits_ = std::move(logits); }

  // (n, L): of unknown labels the probability to be there, 0 of known ones. Fits the classifier.
  Matrix<float> probabilities(View<const int8_t> known);

  // The linear classifier of known labels, fitted to these.
  void fit(View<const int8_t> known);
  // As it was last fitted; nothing where there are too many features for it.
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

// The labels of the training file that a run is trained on, (N, L): read, or drawn as for the run.
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

// Error that names config.json of a run that is not linear, needed truth, or cannot be trained
// again where there are folds.
void check_can_suggest(const TrainedModel& run, size_t folds);

// Error for such a run, and for one that does not fit the data.
Suggestions suggest(const Dataset& data, TrainedModel& run, const SuggestOptions& options,
                    const SuggestEvents& events = {});

}  // namespace spml
