#include "run/run_priors.h"

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

// Logits held at once; more rows would not tell more.
constexpr size_t kMostLogits = size_t{8} << 20;

// Share of rows in which each label was observed, (L), and whether some row has none.
struct Frequencies {
  std::vector<double> share;
  bool some_empty = false;
};

Frequencies frequencies(const LabelMatrix& observed) {
  Frequencies result{std::vector<double>(observed.cols(), 0.5), false};
  std::vector<int8_t> row(observed.cols());
  for (size_t i = 0; i < observed.rows(); ++i) {
    observed.read_row(i, row);
    bool positive = false;
    for (size_t j = 0; j < row.size(); ++j) {
      result.share[j] += row[j] > 0;
      positive |= row[j] > 0;
    }
    result.some_empty |= !positive;
  }
  for (double& share : result.share) share /= static_cast<double>(observed.rows()) + 1;
  return result;
}

}  // namespace

LabelFit fit_run(TrainedModel& trained, const Dataset& data, int threads) {
  const DataPart& part = data.train_file;
  if (trained.is_fine_tuned()) {
    fail(
        "{}: expected a linear run, found a fine-tuned one, whose classifier takes the features of "
        "its own network and not those of {}; train one with spml train --mode linear",
        trained.folder.string(), data.folder.string());
  }
  if (part.observed.empty()) {
    fail(
        "{}: expected observed labels (formatted_train_labels_obs.npy), found none; import them, "
        "or "
        "draw them with spml observe",
        data.folder.string());
  }
  const SplitRows split = rows_of_split(trained, data, "val");
  const size_t labels = data.labels();
  const size_t n = std::min(split.rows.size(), std::max<size_t>(1, kMostLogits / labels));
  const std::span rows(split.rows.data(), n);
  std::vector<float> logits(n * labels);
  std::vector<int8_t> known(n * labels);
  trained.model->predict(part.features, rows, 0, {logits.data(), n, labels});
  for (size_t i = 0; i < n; ++i) {
    part.observed.read_row(static_cast<size_t>(rows[i]),
                           std::span(known).subspan(i * labels, labels));
  }
  const Frequencies frequency = frequencies(part.observed);
  LabelFitInput input;
  input.logits = {logits.data(), n, labels};
  input.labels = {known.data(), n, labels};
  input.frequency = frequency.share;
  input.rows_may_be_empty = frequency.some_empty;
  input.threads = threads;
  return fit_labels(input);
}

}  // namespace spml
