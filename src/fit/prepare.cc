#include "fit/prepare.h"

#include <algorithm>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "data/all_known.h"
#include "data/observe.h"

namespace spml {
namespace {

bool has_negative(const LabelMatrix& labels) {
  std::vector<int8_t> row(labels.cols());
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    if (std::any_of(row.begin(), row.end(), [](int8_t o) { return o < 0; })) return true;
  }
  return false;
}

// Of labels that are all unknown nothing can be learnt.
void check_some_positive(const Prepared& prepared, const LossInfo& loss) {
  if (loss.needs != LabelNeed::kObserved && loss.needs != LabelNeed::kNegatives) return;
  std::vector<int8_t> row(prepared.observed().cols());
  for (const int32_t i : prepared.split.train) {
    prepared.observed().read_row(static_cast<size_t>(i), row);
    if (std::ranges::find(row, int8_t{1}) != row.end()) return;
  }
  fail(
      "{}: expected at least one observed positive among the {} training rows, found none; label "
      "some rows first, or draw labels from the truth with --observe",
      prepared.observed().source(), prepared.split.train.size());
}

double mean_positives(const LabelMatrix& truth) {
  std::vector<int8_t> row(truth.cols());
  double sum = 0;
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, row);
    sum += static_cast<double>(std::count(row.begin(), row.end(), int8_t{1}));
  }
  return sum / static_cast<double>(truth.rows());
}

// Fewer complete rows, or fewer positives in them, say less than the observed labels of all rows:
// with four positives of a label the best epoch is chosen by chance.
constexpr size_t kLeastCompleteRows = 50, kLeastPositivesOfALabel = 10;

void find_complete_rows(Prepared& prepared) {
  const LabelMatrix& observed = prepared.observed();
  std::vector<int8_t> row(observed.cols());
  size_t positives = 0;
  for (const int32_t i : prepared.split.val) {
    observed.read_row(static_cast<size_t>(i), row);
    if (std::ranges::find(row, int8_t{0}) != row.end()) continue;
    prepared.complete_val.push_back(i);
    positives += static_cast<size_t>(std::ranges::count(row, int8_t{1}));
  }
  const bool all = prepared.complete_val.size() == prepared.split.val.size();
  const bool enough = prepared.complete_val.size() >= kLeastCompleteRows &&
                      positives >= kLeastPositivesOfALabel * observed.cols();
  if (!all && !enough) prepared.complete_val.clear();
}

// The rows of train and val, ascending.
std::vector<int32_t> both_parts(const Split& split) {
  std::vector<int32_t> rows(split.train.size() + split.val.size());
  std::ranges::merge(split.train, split.val, rows.begin());
  return rows;
}

Split with_settings(Split split, const TrainConfig& config) {
  if (config.refit) split.train = both_parts(split);
  if (config.subsample < 1) split.train = subsample_rows(split.train, config.subsample);
  return split;
}

// The file's observed labels, and with them one true negative of each row: that of the usual draw,
// so that labels drawn with its seed are what drawing both at once gives.
LabelMatrix with_negatives(const DataPart& part) {
  const size_t rows = part.truth.rows(), L = part.truth.cols();
  MemoryBudget().require(
      saturating_product(rows, L),
      fmt::format("{}: drawing observed negatives from it", part.truth.source()));
  ObservedDraw draw({.num_pos = 0, .num_neg = 1});
  std::vector<int8_t> labels(rows * L), truth(L), drawn(L);
  for (size_t i = 0; i < rows; ++i) {
    const auto row = std::span(labels).subspan(i * L, L);
    part.truth.read_row(i, truth);
    part.observed.read_row(i, row);
    draw.next_row(truth, drawn);
    for (size_t j = 0; j < L; ++j) {
      if (drawn[j] < 0) row[j] = -1;
    }
  }
  return LabelMatrix(std::move(labels), rows, L);
}

// The observed labels to train on, drawn here if they are asked for or missing.
LabelMatrix draw_if_needed(const Dataset& data, const TrainConfig& config, const LossInfo& loss,
                           std::vector<std::string>& notices) {
  const DataPart& part = data.train_file;
  const bool wants_negatives = loss.needs == LabelNeed::kNegatives;
  if (config.observe) {
    if (part.truth.empty()) {
      fail("{}: --observe draws from the truth, and there is none (formatted_train_labels.npy)",
           data.folder.string());
    }
    return draw_observed(part.truth, *config.observe);
  }
  if (!part.observed.empty()) {
    if (!part.truth.empty() && all_known(part.observed)) {
      notices.emplace_back(
          "training on all labels of every row; --observe pos=1,neg=0 draws one instead");
    }
    if (!wants_negatives || has_negative(part.observed)) return {};
    if (part.truth.empty()) {
      fail(
          "{}: loss '{}' needs observed negatives, and there are none in "
          "formatted_train_labels_obs.npy and no truth to draw them from",
          data.folder.string(), loss.name);
    }
    notices.push_back(
        fmt::format("loss '{}' needs observed negatives: drew one per row from the truth (neg=1, "
                    "seed=1200) beside the file's positives",
                    loss.name));
    return with_negatives(part);
  }
  if (part.truth.empty()) {
    fail("{}: expected formatted_train_labels_obs.npy or formatted_train_labels.npy, found neither",
         data.folder.string());
  }
  ObserveOptions options;
  if (wants_negatives) {
    options.num_neg = 1;
    notices.push_back(
        fmt::format("loss '{}' needs observed negatives: drew one per row "
                    "(--observe pos=1,neg=1,seed=1200)",
                    loss.name));
  } else if (loss.needs != LabelNeed::kTruth) {
    notices.emplace_back(
        "there is no file of observed labels: drew one positive per row from the truth (--observe "
        "pos=1,neg=0,seed=1200)");
  }
  return draw_observed(part.truth, options);
}

}  // namespace

std::optional<double> resolve_k(const Dataset& data, const TrainConfig& config) {
  if (config.k && !(*config.k <= static_cast<double>(data.labels()))) {
    fail_usage("expected k in [0, {}], the number of labels, found {}; lower --k", data.labels(),
               *config.k);
  }
  if (config.k) return config.k;
  if (data.expected_positives) return data.expected_positives;
  if (!data.train_file.truth.empty()) return mean_positives(data.train_file.truth);
  return std::nullopt;
}

std::string_view source_of_k(const Dataset& data, const TrainConfig& config) {
  if (config.k) return config.k_is_estimated ? "observed" : "flag";
  if (data.expected_positives) return "dataset.json";
  return data.train_file.truth.empty() ? "" : "truth";
}

Split split_of(size_t n, const TrainConfig& config) {
  return with_settings(split_rows(n, config.val_fraction, config.split_seed), config);
}

Prepared prepare(const Dataset& data, const TrainConfig& config, const Split* rows) {
  const LossInfo& loss = loss_info(config);
  Prepared prepared;
  prepared.data = &data;
  prepared.split =
      rows != nullptr ? with_settings(*rows, config) : split_of(data.train_file.rows(), config);
  if (prepared.split.train.size() < config.batch) {
    fail(
        "expected at least one batch of {} training rows, found {}; lower --batch or give more "
        "data",
        config.batch, prepared.split.train.size());
  }
  if (prepared.split.val.empty()) {
    fail("--val-fraction {} of {} rows leaves no validation rows; raise it", config.val_fraction,
         data.train_file.rows());
  }
  prepared.drawn = draw_if_needed(data, config, loss, prepared.notices);
  if (rows == nullptr) check_some_positive(prepared, loss);
  if (config.mode != Mode::kLinear && images_are_elsewhere(data.folder, data.image_root)) {
    prepared.notices.push_back(elsewhere_notice(data.folder, data.image_root));
  }
  prepared.k = resolve_k(data, config);
  prepared.k_from = source_of_k(data, config);
  prepared.select = config.select;
  const bool no_truth = data.train_file.truth.empty() && config.select == Select::kClean;
  if (no_truth) prepared.select = Select::kObserved;
  if (prepared.select == Select::kObserved) find_complete_rows(prepared);
  if (!prepared.complete_val.empty()) {
    prepared.notices.push_back(
        fmt::format("validating on the {} of {} validation rows whose labels are complete",
                    prepared.complete_val.size(), prepared.split.val.size()));
  } else if (no_truth) {
    prepared.notices.emplace_back(
        "no full labels to validate against: selecting on observed labels, unknown counted as "
        "negative (--select observed)");
  }
  return prepared;
}

}  // namespace spml
