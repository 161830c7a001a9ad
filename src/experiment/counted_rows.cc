#include "experiment/counted_rows.h"

#include "base/fail.h"
#include "data/estimate_k.h"
#include "data/stats.h"

namespace spml {
namespace {

const LabelMatrix& truth_of(const Dataset& data) {
  const LabelMatrix& truth = data.train_file.truth;
  if (truth.empty()) {
    fail("{}: expected full labels to count (formatted_train_labels.npy), found none",
         data.folder.string());
  }
  return truth;
}

KInterval interval_of_k(const Dataset& data, size_t labelled_rows, int threads) {
  KOptions options;
  options.sizes = {labelled_rows};
  options.threads = threads;
  return estimate_k(truth_of(data), options).intervals.front();
}

}  // namespace

double counted_value(const Dataset& data, const ExperimentRow& row, int threads) {
  if (row.statistic == "k-low") return interval_of_k(data, row.size, threads).low;
  if (row.statistic == "k-high") return interval_of_k(data, row.size, threads).high;
  if (row.statistic == "labels") return static_cast<double>(data.labels());
  truth_of(data);
  const PerRow positives = part_stats(data.train_file).truth->per_row;
  if (row.statistic == "min-positives") return static_cast<double>(positives.min);
  if (row.statistic == "max-positives") return static_cast<double>(positives.max);
  return positives.mean;
}

std::vector<double> k_values(const Dataset& data, size_t labelled_rows, size_t count, int threads) {
  const KInterval interval = interval_of_k(data, labelled_rows, threads);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(interval.low + part * (interval.high - interval.low));
  }
  return values;
}

double labels_seen_per_row(const Dataset& data, const std::string& loss) {
  const auto all = static_cast<double>(data.labels());
  const PartStats stats = part_stats(data.train_file);
  switch (find_loss(loss).needs) {
    case LabelNeed::kTruth:
      return all;
    case LabelNeed::kTrueNegatives:
      return stats.observed.mean + all - (stats.truth ? stats.truth->per_row.mean : 0);
    case LabelNeed::kNegatives:
      return stats.observed.mean + 1;
    case LabelNeed::kObserved:
      break;
  }
  return stats.observed.mean;
}

}  // namespace spml
