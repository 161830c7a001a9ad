#include "suggest/suggest.h"

#include <algorithm>

#include "base/fail.h"
#include "fit/session.h"

namespace spml {
namespace {

// Settings for training without truth.
TrainConfig without_truth(TrainConfig config, const std::string& where) {
  if (config.mode != Mode::kLinear) {
    fail(
        "{}: expected a linear run, found --mode {}; extract features with it and train a linear "
        "run on them",
        where, to_string(config.mode));
  }
  const LabelNeed needs = loss_info(config).needs;
  if (needs == LabelNeed::kTruth || needs == LabelNeed::kTrueNegatives) {
    fail(
        "{}: its loss '{}' trains on full labels, so no label can be missing; train with another "
        "loss",
        where, config.loss);
  }
  config.select = Select::kObserved;
  config.observe.reset();
  config.subsample = 1;
  config.refit = false;
  config.record_unobserved_positives = false;
  return config;
}

}  // namespace

void check_can_suggest(const TrainedModel& run, size_t folds) {
  const std::string file = RunFolder{run.folder}.config().string();
  const TrainConfig& config = run.config;
  without_truth(config, file);
  if (folds == 0) return;
  if (config.own_loss) {
    fail("{}: its loss '{}' was given as an object and is not part of this program; give --folds 0",
         file, config.loss);
  }
  try {
    resolve_parameters(loss_info(config), {run.classes.size(), config.k, config.params});
  } catch (const Error& error) {
    fail("{}: {}", file, error.what());
  }
}

Matrix<int8_t> take_rows(View<const int8_t> labels, const std::vector<int32_t>& rows) {
  Matrix<int8_t> taken(rows.size(), labels.cols);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(labels.row(static_cast<size_t>(rows[i])), labels.cols, taken.row(i).data());
  }
  return taken;
}

Matrix<int8_t> observed_labels(const Dataset& data, const TrainConfig& config) {
  const Prepared prepared = prepare(data, config);
  const LabelMatrix& observed = prepared.observed();
  Matrix<int8_t> labels(observed.rows(), observed.cols());
  for (size_t i = 0; i < labels.rows(); ++i) observed.read_row(i, labels.row(i));
  return labels;
}

Suggester::Suggester(const Dataset& data, const TrainConfig& config, std::vector<int32_t> rows,
                     View<const int8_t> known, int threads, const SuggestEvents& events)
    : data_(data),
      config_(without_truth(config, data.folder.string())),
      rows_(std::move(rows)),
      threads_(threads),
      between_parts_(stoppable(events).between_parts) {
  const FeatureMatrix& features = data.train_file.features;
  if (features.empty()) fail("{}: expected features, found none", data.folder.string());
  const bool solves = LeastSquares::can_fit(rows_.size(), features.cols());
  const uint64_t scores = saturating_product(rows_.size(), data.labels(), 2 * sizeof(float));
  const uint64_t fit = bytes_to_fit(rows_.size(), data.labels(), features.cols());
  MemoryBudget().require(saturating_sum(scores, solves ? fit : scores),
                         "scoring every unknown label");
  if (solves) {
    const Matrix<int8_t> labels = take_rows(known, rows_);
    squares_.emplace(features, fit_transform(config.transform, features, rows_), rows_, labels,
                     config.k.value_or(1.5), threads, 0, between_parts_);
  }
}

void Suggester::retrain(View<const int8_t> known, size_t folds, const SuggestEvents& events) {
  const Dataset seen = spml::without_truth(data_, known);
  logits_ = out_of_fold_logits(seen, config_, rows_, folds, threads_, events);
}

Matrix<float> Suggester::probabilities(View<const int8_t> known) {
  fit(known);
  const Matrix<int8_t> labels = take_rows(known, rows_);
  // Not the k of the truth, which is unknown where labels are missing.
  const std::optional<double> k = config_.k ? config_.k : data_.expected_positives;
  return missing_probabilities(
      {labels, logits_, left_out_, threads_, before_, between_parts_, k, config_.k_is_estimated});
}

void Suggester::fit(View<const int8_t> known) {
  if (!squares_) return;
  KnownLabelClassifier::Result result = squares_->fit(take_rows(known, rows_));
  fit_ = std::move(result.fit);
  left_out_ = std::move(result.left_out);
}

const FeatureTransform* Suggester::transform() const {
  return squares_ ? &squares_->transform() : nullptr;
}

Suggestions suggest(const Dataset& data, TrainedModel& run, const SuggestOptions& options,
                    const SuggestEvents& events) {
  check_can_suggest(run, options.folds);
  check_fits(run, data);
  const Matrix<int8_t> known = observed_labels(data, run.config);
  std::vector<int32_t> rows = all_rows(data.train_file);
  Suggester suggester(data, run.config, rows, known, options.threads, events);
  if (options.folds == 0) {
    Matrix<float> logits(rows.size(), data.labels());
    run.model->predict(data.train_file.features, rows, 0, logits.view());
    suggester.use_logits(std::move(logits));
  } else {
    suggester.retrain(known, options.folds, events);
  }
  const Matrix<float> probabilities = suggester.probabilities(known);

  Suggestions result;
  result.list = rank_missing(probabilities, known, rows, options.ranking);
  result.per_class.resize(data.labels());
  for (size_t j = 0; j < data.labels(); ++j) result.per_class[j].name = data.classes[j];
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < data.labels(); ++j) {
      result.per_class[j].expected_missing += probabilities(i, j);
      result.per_class[j].known += known(i, j) > 0;
    }
  }
  for (const Suggestion& one : result.list) {
    ++result.per_class[static_cast<size_t>(one.label)].listed;
  }
  for (const ClassSuggestions& one : result.per_class) {
    result.expected_missing += one.expected_missing;
  }
  return result;
}

}  // namespace spml
