// From a data folder and a configuration to what training needs: which rows, which labels, which k.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/split.h"
#include "settings/config.h"

namespace spml {

struct Prepared {
  const Dataset* data = nullptr;
  Split split;                     // train rows after subsampling
  LabelMatrix drawn;               // observed labels drawn here; empty when the file's are used
  Select select = Select::kClean;  // after falling back to observed where there is no truth
  // Validation rows whose observed labels are complete, where there are enough of them to validate
  // on instead of on all rows' observed labels.
  std::vector<int32_t> complete_val;
  std::optional<double> k;           // nullopt when unknown and not needed
  std::string_view k_from;           // flag, dataset.json, truth or observed; "" without k
  std::vector<std::string> notices;  // what was decided for the user

  const LabelMatrix& observed() const { return drawn.empty() ? data->train_file.observed : drawn; }
  const LabelMatrix& truth() const { return data->train_file.truth; }
  bool validates_on_full_labels() const {
    return select == Select::kClean || !complete_val.empty();
  }
  const std::vector<int32_t>& validation_rows() const {
    return complete_val.empty() ? split.val : complete_val;
  }
  // What validation is measured against: > 0 is positive.
  const LabelMatrix& validation_labels() const {
    return select == Select::kClean ? truth() : observed();
  }
};

// The expected positives per row: the flag, else dataset.json, else the mean of the truth.
std::optional<double> resolve_k(const Dataset& data, const TrainConfig& config);
// Which of them.
std::string_view source_of_k(const Dataset& data, const TrainConfig& config);

// Errors say what is missing and how to get it. `data` must outlive the result. `rows`, where
// given, are trained and validated on instead of those of the configuration.
Prepared prepare(const Dataset& data, const TrainConfig& config, const Split* rows = nullptr);

// The rows of the configuration: train and val, of `n` rows of the training file.
Split split_of(size_t n, const TrainConfig& config);

}  // namespace spml
