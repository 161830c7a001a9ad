// Drawing observed labels as an annotator with a preference would: what the paper leaves to future
// work. Which positive of a row is kept depends on a weight per row and label.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.h"
#include "data/observe.h"

namespace spml {

enum class Bias {
  kUniform,    // the paper: every positive alike, bit-exact with the authors' draw
  kFrequency,  // by the class's frequency in the training file, or by weights that are given
  kArea,       // by the area of the class's boxes in the image
  kCenter,     // by the closeness of the class's nearest box to the image's centre
};

Bias parse_bias(std::string_view name);  // usage Error that lists the names

// The L weights of one row, filled by the source of the weights; all finite and >= 0.
using RowWeights = std::function<void(size_t row, std::span<float> weights)>;

// Per row, num_pos positives drawn one after another without replacement, each with probability
// proportional to its weight among those left. Positives of weight 0 come last, all alike. The
// num_neg negatives are drawn uniformly. Row i uses CounterRng(seed, Stream::kObserve, i) alone.
LabelMatrix draw_observed_weighted(const LabelMatrix& truth, const ObserveOptions& options,
                                   const RowWeights& weights);

// Weights of the classes: numbers, one per class, from JSON (an array, or an object from class
// name to number) or CSV (one number per line, or name,number).
std::vector<float> read_class_weights(const Path& path, const std::vector<std::string>& classes);

// Draws for one part of a data folder, "train" or "val". `class_weights` is for kFrequency only;
// without it the frequencies are those of data.train_file.truth.
LabelMatrix draw_observed(const Dataset& data, std::string_view part, const ObserveOptions& options,
                          Bias bias, const std::vector<float>& class_weights = {});

}  // namespace spml
