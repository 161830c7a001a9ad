#include "experiment/label_shares.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "loss/class_prior.h"

namespace spml {
namespace {

// Scores held at once.
constexpr size_t kBlockEntries = size_t{8} << 20;

}  // namespace

std::vector<double> estimate_label_shares(TrainedModel& trained, const Dataset& data) {
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
  const size_t n = part.features.rows(), labels = data.labels();
  std::vector<int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  const size_t block = std::clamp<size_t>(kBlockEntries / n, 1, labels);
  std::vector<float> scores(n * block), column(n);
  std::vector<int8_t> row(labels), observed(n * block);  // observed: label by label
  std::vector<double> priors;
  for (size_t first = 0; first < labels; first += block) {
    const size_t count = std::min(block, labels - first);
    const View<float> out{scores.data(), n, count};
    trained.model->predict(part.features, rows, first, out);
    for (size_t i = 0; i < n; ++i) {
      part.observed.read_row(i, row);
      for (size_t j = 0; j < count; ++j) observed[j * n + i] = row[first + j];
    }
    for (size_t j = 0; j < count; ++j) {
      for (size_t i = 0; i < n; ++i) column[i] = out(i, j);
      priors.push_back(estimate_class_prior(column, std::span(observed).subspan(j * n, n)));
    }
  }
  return priors;
}

}  // namespace spml
