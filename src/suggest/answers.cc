#include "suggest/answers.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "decide/minimise.h"
#include "decide/sigmoid.h"

namespace spml {
namespace {

constexpr size_t kFewestAnswers = 20;     // of each kind
constexpr size_t kMostPairs = 1'000'000;  // parameters for pairs of labels, at most
constexpr double kScorePrecision = 0.01;  // of the priors
constexpr double kLabelPrecision = 1, kPairPrecision = 2, kRowPrecision = 0.1;

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// The features of an entry, few of them not 0.
struct Feature {
  size_t index;
  double value;
};

class AnswerModel {
 public:
  explicit AnswerModel(const Evidence& evidence) : e_(evidence) {
    labels_ = e_.known.cols;
    pairs_ = labels_ * labels_ <= kMostPairs;
    precision_.assign(kScores, kScorePrecision);
    precision_[kOthers] = precision_[kNamedScore] = kRowPrecision;
    precision_.insert(precision_.end(), 2 * labels_, kLabelPrecision);
    if (pairs_) precision_.insert(precision_.end(), labels_ * labels_, kPairPrecision);
  }

  size_t parameters() const { return precision_.size(); }
  const std::vector<double>& precision() const { return precision_; }

  // Of label j in row i, whether it is known or not: nothing of its own answer is in it.
  void features(size_t i, size_t j, std::vector<Feature>& out) const {
    out.clear();
    out.push_back({kOne, 1});
    if (!e_.left_out.empty()) out.push_back({kLeftOut, 10.0 * e_.left_out(i, j)});
    if (!e_.logits.empty()) {
      const double z = std::clamp<double>(e_.logits(i, j), -20, 20);
      out.push_back({kLogit, z});
      out.push_back({kProbability, sigmoid(z)});
    }
    out.push_back({kScores + j, 1});
    double others = 0, named = 0, positives = 0;
    for (size_t m = 0; m < labels_; ++m) {
      if (m == j) continue;
      if (e_.known(i, m) > 0) {
        ++positives;
        named += score(i, m);
        out.push_back({kScores + labels_ + m, 1});
        if (pairs_) out.push_back({kScores + 2 * labels_ + j * labels_ + m, 1});
      } else if (e_.known(i, m) == 0) {
        others += score(i, m);
      }
    }
    out.push_back({kOthers, others});
    if (positives > 0) out.push_back({kNamedScore, named / positives});
  }

 private:
  // The parameters before those of labels.
  enum : size_t { kOne, kLeftOut, kLogit, kProbability, kOthers, kNamedScore, kScores };

  // Roughly a probability.
  double score(size_t i, size_t m) const {
    if (!e_.left_out.empty()) return std::clamp<double>(e_.left_out(i, m), 0, 1);
    return sigmoid(e_.logits(i, m));
  }

  const Evidence& e_;
  size_t labels_;
  bool pairs_;
  std::vector<double> precision_;
};

struct Answer {
  std::vector<Feature> features;
  double yes;
};

// The positive of a row with the lowest score, or its number of labels where it has none.
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

std::vector<Answer> collect(const Evidence& evidence, const AnswerModel& model) {
  std::vector<Answer> answers;
  for (size_t i = 0; i < evidence.known.rows; ++i) {
    const size_t named = evidence.before.empty() ? lowest_positive(evidence, i) : 0;
    for (size_t j = 0; j < evidence.known.cols; ++j) {
      if (evidence.known(i, j) == 0) continue;
      if (evidence.before.empty() ? j == named : evidence.before(i, j) != 0) continue;
      Answer answer{{}, evidence.known(i, j) > 0 ? 1.0 : 0.0};
      model.features(i, j, answer.features);
      answers.push_back(std::move(answer));
    }
  }
  return answers;
}

double dot(const std::vector<Feature>& features, std::span<const double> w) {
  double sum = 0;
  for (const auto& [index, value] : features) sum += w[index] * value;
  return sum;
}

}  // namespace

std::optional<Matrix<float>> probabilities_by_answers(const Evidence& evidence) {
  const AnswerModel model(evidence);
  const std::vector<Answer> answers = collect(evidence, model);
  size_t yes = 0, no = 0;
  for (const Answer& answer : answers) ++(answer.yes > 0 ? yes : no);
  if (yes < kFewestAnswers || no < kFewestAnswers) return {};

  const std::vector<double>& precision = model.precision();
  const auto objective = [&](std::span<const double> w, std::span<double> gradient) {
    double value = 0;
    for (size_t p = 0; p < w.size(); ++p) {
      value += precision[p] * w[p] * w[p] / 2;
      gradient[p] = precision[p] * w[p];
    }
    for (const Answer& answer : answers) {
      const double z = dot(answer.features, w);
      value += softplus(z) - answer.yes * z;
      const double slope = sigmoid(z) - answer.yes;
      for (const auto& [index, x] : answer.features) gradient[index] += slope * x;
    }
    return value;
  };
  std::vector<double> w(model.parameters());
  minimise(objective, w, {.iterations = 300, .tolerance = 1e-8});

  Matrix<float> probabilities(evidence.known.rows, evidence.known.cols);
  parallel_for(evidence.known.rows, evidence.threads, [&](size_t i) {
    std::vector<Feature> features;
    for (size_t j = 0; j < evidence.known.cols; ++j) {
      if (evidence.known(i, j) != 0) continue;
      model.features(i, j, features);
      probabilities(i, j) = static_cast<float>(sigmoid(dot(features, w)));
    }
  });
  return probabilities;
}

}  // namespace spml
