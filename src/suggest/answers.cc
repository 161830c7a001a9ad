#include "suggest/answers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/parallel.h"
#include "decide/minimise.h"
#include "decide/sigmoid.h"

namespace spml {
namespace {

constexpr size_t kFewestAnswers = 20;     // yes, and no
constexpr size_t kMostPairs = 1'000'000;  // largest number of pairs of labels to have parameters
// Precisions of the priors.
constexpr double kScorePrecision = 0.01;
constexpr double kLabelPrecision = 1, kPairPrecision = 2, kRowPrecision = 0.1;

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// The parameters that come before those of labels.
enum : size_t { kOne, kLeftOut, kLogit, kProbability, kOthers, kNamedScore, kScores };

// Label j of row i, known or not; its features do not reveal its own answer.
struct Entry {
  size_t i = 0, j = 0;
  std::array<double, kScores> scores = {};  // all features but those of labels
};

struct Answer {
  Entry entry;
  double yes = 0;
};

// Features are an entry's scores, its label (L), each other label that is known to be in the row
// (L), and each of these paired with its own (L x L). Terms that the entries of a row share are
// summed once per row.
class AnswerModel {
 public:
  explicit AnswerModel(const Evidence& evidence) : e_(evidence), rows_(e_.known.rows) {
    labels_ = e_.known.cols;
    pairs_ = labels_ * labels_ <= kMostPairs;
    precision_.assign(kScores, kScorePrecision);
    precision_[kOthers] = precision_[kNamedScore] = kRowPrecision;
    precision_.insert(precision_.end(), 2 * labels_, kLabelPrecision);
    if (pairs_) precision_.insert(precision_.end(), labels_ * labels_, kPairPrecision);
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = 0; j < labels_; ++j) {
        if (e_.known(i, j) > 0) {
          rows_[i].positives.push_back(static_cast<uint32_t>(j));
          rows_[i].named += score(i, j);
        } else if (e_.known(i, j) == 0) {
          rows_[i].others += score(i, j);
        }
      }
    }
  }

  size_t parameters() const { return precision_.size(); }
  const std::vector<double>& precision() const { return precision_; }

  Entry entry(size_t i, size_t j) const {
    Entry entry{i, j};
    const Row& row = rows_[i];
    const bool positive = e_.known(i, j) > 0, unknown = e_.known(i, j) == 0;
    const size_t positives = row.positives.size() - (positive ? 1 : 0);
    entry.scores[kOne] = 1;
    if (!e_.left_out.empty()) entry.scores[kLeftOut] = 10.0 * e_.left_out(i, j);
    if (!e_.logits.empty()) {
      entry.scores[kLogit] = std::clamp<double>(e_.logits(i, j), -20, 20);
      entry.scores[kProbability] = sigmoid(entry.scores[kLogit]);
    }
    entry.scores[kOthers] = row.others - (unknown ? score(i, j) : 0);
    if (positives > 0) {
      const double named = row.named - (positive ? score(i, j) : 0);
      entry.scores[kNamedScore] = named / static_cast<double>(positives);
    }
    return entry;
  }

  // The contribution of a row's positives to the logits of its other entries.
  double shared(size_t i, std::span<const double> w) const {
    double sum = 0;
    for (const size_t m : rows_[i].positives) sum += w[named(m)];
    return sum;
  }
  double logit(const Entry& entry, double shared, std::span<const double> w) const {
    double z = w[own(entry.j)] + shared - (is_positive(entry) ? w[named(entry.j)] : 0);
    for (size_t p = 0; p < kScores; ++p) z += w[p] * entry.scores[p];
    for_pairs(entry, [&](size_t pair) { z += w[pair]; });
    return z;
  }
  // Adds slope times the gradient of the logit, without the shared terms.
  void add_gradient(const Entry& entry, double slope, std::span<double> gradient) const {
    for (size_t p = 0; p < kScores; ++p) gradient[p] += slope * entry.scores[p];
    gradient[own(entry.j)] += slope;
    if (is_positive(entry)) gradient[named(entry.j)] -= slope;
    for_pairs(entry, [&](size_t pair) { gradient[pair] += slope; });
  }
  void add_shared(size_t i, double slopes, std::span<double> gradient) const {
    for (const size_t m : rows_[i].positives) gradient[named(m)] += slopes;
  }

 private:
  struct Row {
    std::vector<uint32_t> positives;
    double named = 0, others = 0;  // sums of the scores of its positives, of its unknown labels
  };

  size_t own(size_t j) const { return kScores + j; }
  size_t named(size_t m) const { return kScores + labels_ + m; }
  bool is_positive(const Entry& entry) const { return e_.known(entry.i, entry.j) > 0; }

  template <class Visit>
  void for_pairs(const Entry& entry, Visit visit) const {
    if (!pairs_) return;
    const size_t first = kScores + (2 + entry.j) * labels_;
    for (const size_t m : rows_[entry.i].positives) {
      if (m != entry.j) visit(first + m);
    }
  }

  // Roughly a probability.
  double score(size_t i, size_t m) const {
    if (!e_.left_out.empty()) return std::clamp<double>(e_.left_out(i, m), 0, 1);
    return sigmoid(e_.logits(i, m));
  }

  const Evidence& e_;
  size_t labels_;
  bool pairs_;
  std::vector<double> precision_;
  std::vector<Row> rows_;
};

// The row's positive with the lowest score; L if the row has no positive.
size_t lowest_positive(const Evidence& evidence, size_t i) {
  const View<const float> scores = evidence.left_out.empty() ? evidence.logits : evidence.left_out;
  const size_t labels = evidence.known.cols;
  size_t lowest = labels;
  for (size_t j = 0; j < labels; ++j) {
    if (evidence.known(i, j) <= 0) continue;
    if (lowest == labels || scores(i, j) < scores(i, lowest)) lowest = j;
  }
  return lowest;
}

// (row, label) of every answer, ordered by row.
std::vector<std::pair<size_t, size_t>> answered(const Evidence& evidence) {
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t i = 0; i < evidence.known.rows; ++i) {
    const size_t named = evidence.before.empty() ? lowest_positive(evidence, i) : 0;
    for (size_t j = 0; j < evidence.known.cols; ++j) {
      if (evidence.known(i, j) == 0) continue;
      if (evidence.before.empty() ? j == named : evidence.before(i, j) != 0) continue;
      places.emplace_back(i, j);
    }
  }
  return places;
}

}  // namespace

std::optional<Matrix<float>> probabilities_by_answers(const Evidence& evidence) {
  const auto places = answered(evidence);
  size_t yes = 0, no = 0;
  for (const auto& [i, j] : places) ++(evidence.known(i, j) > 0 ? yes : no);
  if (yes < kFewestAnswers || no < kFewestAnswers) return {};

  MemoryBudget().require(saturating_product(places.size(), sizeof(Answer)),
                         fmt::format("learning from {} answers", places.size()));
  const AnswerModel model(evidence);
  std::vector<Answer> answers;
  answers.reserve(places.size());
  for (const auto& [i, j] : places) {
    answers.push_back({model.entry(i, j), evidence.known(i, j) > 0 ? 1.0 : 0.0});
  }
  const std::vector<double>& precision = model.precision();
  const auto objective = [&](std::span<const double> w, std::span<double> gradient) {
    double value = 0;
    for (size_t p = 0; p < w.size(); ++p) {
      value += precision[p] * w[p] * w[p] / 2;
      gradient[p] = precision[p] * w[p];
    }
    for (size_t a = 0; a < answers.size();) {
      const size_t i = answers[a].entry.i;
      const double shared = model.shared(i, w);
      double slopes = 0;
      for (; a < answers.size() && answers[a].entry.i == i; ++a) {
        const auto& [entry, is_yes] = answers[a];
        const double z = model.logit(entry, shared, w), slope = sigmoid(z) - is_yes;
        value += softplus(z) - is_yes * z;
        model.add_gradient(entry, slope, gradient);
        slopes += slope;
      }
      model.add_shared(i, slopes, gradient);
    }
    return value;
  };
  std::vector<double> w(model.parameters());
  minimise(objective, w, {.iterations = 300, .tolerance = 1e-8});

  Matrix<float> probabilities(evidence.known.rows, evidence.known.cols);
  parallel_for(evidence.known.rows, evidence.threads, [&](size_t i) {
    const double shared = model.shared(i, w);
    for (size_t j = 0; j < evidence.known.cols; ++j) {
      if (evidence.known(i, j) != 0) continue;
      probabilities(i, j) = static_cast<float>(sigmoid(model.logit(model.entry(i, j), shared, w)));
    }
  });
  return probabilities;
}

}  // namespace spml
