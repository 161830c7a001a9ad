#include "reproduce/counted_rows.h"

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

// Rows drawn over all trials of one size: with many rows, the mean hardly varies between trials.
constexpr size_t kMostDraws = 100'000'000, kFewestTrials = 100;

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
  options.trials = std::clamp(kMostDraws / labelled_rows, kFewestTrials, options.trials);
  options.threads = threads;
  return estimate_k(truth_of(data), options).intervals.front();
}

}  // namespace

const KInterval& CountedRows::interval(size_t labelled_rows) {
  const auto found = intervals_.find(labelled_rows);
  if (found != intervals_.end()) return found->second;
  return intervals_[labelled_rows] = interval_of_k(data_, labelled_rows, threads_);
}

const PerRow& CountedRows::positives() {
  truth_of(data_);
  if (!positives_) positives_ = part_stats(data_.train_file).truth->per_row;
  return *positives_;
}

double CountedRows::value(const ExperimentRow& row) {
  if (row.statistic == "k-low") return interval(row.size).low;
  if (row.statistic == "k-high") return interval(row.size).high;
  if (row.statistic == "labels") return static_cast<double>(data_.labels());
  if (row.statistic == "min-positives") return static_cast<double>(positives().min);
  if (row.statistic == "max-positives") return static_cast<double>(positives().max);
  return positives().mean;
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
