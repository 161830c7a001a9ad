// From a trained run to suggestions: the probability of every label that nobody has given.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "review/store/entry.h"
#include "run/trained_model.h"

namespace spml::review {

struct Suggestions {
  std::vector<Suggestion> list;  // the best, best first
  double expected_missing = 0;   // sum of the scores of all unknown entries
  size_t unknown = 0;            // how many of those there are
};

// Scores of a run on rows of the training file. Safe to use from several threads. `data` must
// outlive this object.
class Scorer {
 public:
  // Error for a run that does not match the data or takes images instead of features.
  Scorer(const Path& run, const Dataset& data, int threads);

  const TrainedModel& trained() const { return trained_; }

  // The `limit` best entries with observed label 0.
  Suggestions suggest(const LabelMatrix& observed, size_t limit);
  // The scores of some entries, in their order.
  std::vector<Suggestion> score(std::span<const Entry> entries);

 private:
  // (rows, L) calibrated probabilities.
  std::vector<float> probabilities(std::span<const int32_t> rows);

  const Dataset& data_;
  std::mutex mutex_;
  TrainedModel trained_;
};

}  // namespace spml::review
