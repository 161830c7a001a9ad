// Which labels to ask for next: the ranking of docs/suggest.md, which scores every row with
// classifiers that did not train on it and learns from the answers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "review/rank/scores.h"
#include "review/store/store.h"
#include "suggest/suggest.h"

namespace spml::review {

class Ranker {
 public:
  // Whether the data can be ranked this way: the loss needs no truth, and the memory needed is
  // small enough for a server in the background. Otherwise a run's own scores are used.
  static bool is_possible(const Dataset& data, const TrainConfig& config);

  // `observed` are the labels before the first answer. Both it and the data must outlive this
  // object. Nothing is computed before the first use. Long computations poll `stop_requested` and
  // end with an Error once it returns true.
  Ranker(const Dataset& data, const TrainConfig& config, const LabelMatrix& observed, int threads,
         std::function<bool()> stop_requested = {});

  // Trains classifiers on the answers, each without a part of the rows; later rankings use them
  // too. Takes about five times as long as the run did.
  void retrain(const std::vector<NewAnswer>& answers, const SuggestEvents& events);

  // The `limit` best entries that nobody has labelled or answered.
  Suggestions rank(const std::vector<NewAnswer>& answers, size_t limit);

  // Scores of the last ranking, for entries that were unknown then.
  std::vector<Suggestion> score(std::span<const Entry> entries) const;

 private:
  Matrix<int8_t> known(const std::vector<NewAnswer>& answers) const;
  Suggester& suggester();

  const Dataset& data_;
  TrainConfig config_;
  const LabelMatrix& observed_;
  int threads_;
  std::function<bool()> stop_requested_;
  mutable std::mutex mutex_;
  std::unique_ptr<Suggester> suggester_;
  Matrix<float> probabilities_;  // (N, L)
};

}  // namespace spml::review
