// Scores of rows by classifiers that were not trained on them.
#pragma once

#include <functional>
#include <vector>

#include "data/dataset.h"
#include "settings/config.h"
#include "spml/matrix.h"
#include "train/loop.h"

namespace spml {

// Progress reports and the request to stop. Any may be empty.
struct SuggestEvents {
  std::function<void(const std::string& text)> notice;
  std::function<void(size_t done, size_t total)> model;  // trained
  std::function<bool()> stop_requested;
};
LoopEvents stoppable(const SuggestEvents& events);

// The data as a reviewer sees it: observed labels `known` (N, L), and no truth of the training
// file. Features, test files and names are borrowed from `data`, which must outlive the result.
Dataset without_truth(const Dataset& data, View<const int8_t> known);

// The fold of each of n rows: random, with folds of equal size.
std::vector<size_t> draw_folds(size_t n, size_t folds, uint64_t seed);

// Logits (n, L) of `rows`, each from a classifier with the configuration's settings that was
// trained on the other folds, with its best epoch chosen on this one. Folds are trained in
// parallel; the result does not depend on the number of threads.
Matrix<float> out_of_fold_logits(const Dataset& data, const TrainConfig& config,
                                 const std::vector<int32_t>& rows, size_t folds, int threads,
                                 const SuggestEvents& events);

// Logits of the training rows by one classifier trained on all of them, and its test MAP if there
// are test files.
struct InSample {
  Matrix<float> logits;
  std::optional<double> test_map;
};
InSample in_sample_logits(const Dataset& data, const TrainConfig& config, const Split& split,
                          int threads, const SuggestEvents& events);

}  // namespace spml
