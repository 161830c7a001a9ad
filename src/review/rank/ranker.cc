#include "review/rank/ranker.h"

#include "base/memory_budget.h"
#include "fit/session.h"
#include "review/store/answered_labels.h"

namespace spml::review {
namespace {

constexpr size_t kFolds = 5;
constexpr size_t kMostBytes = size_t{256} << 20;

Matrix<int8_t> to_matrix(const LabelMatrix& labels) {
  Matrix<int8_t> matrix(labels.rows(), labels.cols());
  for (size_t i = 0; i < matrix.rows(); ++i) labels.read_row(i, matrix.row(i));
  return matrix;
}

}  // namespace

bool Ranker::is_possible(const Dataset& data, const TrainConfig& config) {
  const LabelNeed needs = loss_info(config).needs;
  if (needs == LabelNeed::kTruth || needs == LabelNeed::kTrueNegatives) return false;
  const size_t rows = data.train_file.rows(), columns = data.train_file.features.cols();
  if (!LeastSquares::can_fit(rows, columns)) return false;
  // On top of what fitting takes: scores of both classifiers and the probabilities kept here.
  return saturating_sum(saturating_product(rows, data.labels(), 3 * sizeof(float)),
                        bytes_to_fit(rows, data.labels(), columns)) <= kMostBytes;
}

Ranker::Ranker(const Dataset& data, const TrainConfig& config, const LabelMatrix& observed,
               int threads, std::function<bool()> stop_requested)
    : data_(data),
      config_(config),
      observed_(observed),
      threads_(threads),
      stop_requested_(std::move(stop_requested)) {}

Matrix<int8_t> Ranker::known(const std::vector<NewAnswer>& answers) const {
  return to_matrix(with_answers(observed_, answers));
}

Suggester& Ranker::suggester() {
  if (!suggester_) {
    const Matrix<int8_t> observed = known({});
    SuggestEvents events;
    events.stop_requested = stop_requested_;
    suggester_ = std::make_unique<Suggester>(data_, config_, all_rows(data_.train_file), observed,
                                             threads_, events);
    suggester_->remember(observed);
  }
  return *suggester_;
}

void Ranker::retrain(const std::vector<NewAnswer>& answers, const SuggestEvents& events) {
  const std::lock_guard lock(mutex_);
  suggester().retrain(known(answers), kFolds, events);
}

Suggestions Ranker::rank(const std::vector<NewAnswer>& answers, size_t limit) {
  const std::lock_guard lock(mutex_);
  const Matrix<int8_t> labels = known(answers);
  probabilities_ = suggester().probabilities(labels);
  RankingOptions options;
  options.top = limit;
  Suggestions found;
  for (const auto& [row, label, score] :
       rank_missing(probabilities_, labels, suggester_->rows(), options)) {
    found.list.push_back({{row, label}, score});
  }
  for (size_t i = 0; i < labels.rows(); ++i) {
    for (size_t j = 0; j < labels.cols(); ++j) {
      found.unknown += labels(i, j) == 0;
      found.expected_missing += probabilities_(i, j);  // 0 where the label is known
    }
  }
  return found;
}

std::vector<Suggestion> Ranker::score(std::span<const Entry> entries) const {
  const std::lock_guard lock(mutex_);
  std::vector<Suggestion> scored;
  for (const Entry& entry : entries) {
    const float score =
        probabilities_(static_cast<size_t>(entry.row), static_cast<size_t>(entry.label));
    if (score > 0) scored.push_back({entry, score});
  }
  return scored;
}

}  // namespace spml::review
