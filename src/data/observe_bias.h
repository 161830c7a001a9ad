// Drawing observed labels as an annotator with a preference would: what the paper leaves to future
// work. Which positive of a row is kept depends on a weight per row and label.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "data/observe.h"

namespace spml {

// The L weights of one row, filled by the source of the weights; all finite and >= 0.
using RowWeights = std::function<void(size_t row, std::span<float> weights)>;

// Per row, num_pos positives drawn one after another without replacement, each with probability
// proportional to its weight among those left. Positives of weight 0 come last, all alike. The
// num_neg negatives are drawn uniformly. Row i uses CounterRng(seed, Stream::kObserve, i) alone.
LabelMatrix draw_observed_weighted(const LabelMatrix& truth, const ObserveOptions& options,
                                   const RowWeights& weights, const MemoryBudget& memory = {});

// The same weights in every row: what an annotator thinks of classes, wherever they are.
RowWeights class_bias(std::vector<float> weights);

// Weights from a file of the data folder (box_area_file, box_closeness_file), which must have the
// shape of the truth; Error that names the importers when the file is not there.
RowWeights box_bias(const Path& path, const LabelMatrix& truth);

// In how many rows each class is positive.
std::vector<float> class_frequencies(const LabelMatrix& truth);

// The weights of another source, of which only the largest among a row's positives counts: an
// annotator who always names the same thing. The first of equals; the others weigh nothing.
RowWeights only_largest(RowWeights weights, const LabelMatrix& truth);

// exp(strength * score), scores (N, L) from a .npy file: an annotator who names what is most
// evident to a classifier, and always that as the strength grows. Error unless the file has the
// shape of the truth and finite scores.
RowWeights score_bias(const Path& file, double strength, const LabelMatrix& truth);

// Several annotators who divide the rows among themselves: each row has one of them, drawn with the
// same chance by random numbers of its own, so that one who is listed twice names twice as many.
RowWeights mixed_bias(std::vector<RowWeights> annotators, uint64_t seed);

// Numbers, one per class, from JSON (an array, or an object from class name to number) or CSV (one
// number per line, or name,number).
std::vector<float> read_class_weights(const Path& path, const std::vector<std::string>& classes);

}  // namespace spml
