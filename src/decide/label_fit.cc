#include "decide/label_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/fail.h"
#include "base/parallel.h"
#include "decide/label_model.h"
#include "decide/minimise.h"

namespace spml {
namespace {

using Belief = LabelModel::Belief;
using Parameters = std::vector<double>;

constexpr double kConfidence = 1.92;  // half the 95 % quantile of chi-square, one degree
// What a row may say for or against a k only because the curves are not quite logistic: many rows
// would otherwise make a wrong k certain.
constexpr double kSlackOfARow = 0.005;
constexpr double kCertain = 1.25;        // widest high / low of an interval that tells k
constexpr double kNearCertainty = 0.98;  // share of rows less certain than "a certain row"
constexpr double kProfileDeviation = 0.02;
constexpr double kGivenDeviation = 0.1;  // of log k where it was given
constexpr double kHeldDeviation = 0.02;
constexpr double kUsualDeviation = 0.3;
constexpr double kTelling = 5;          // by how much scores have to raise the log likelihood
constexpr double kTellingOfARow = 0.3;  // the same where there are few rows
constexpr double kEveryLabel = 0.8;     // share of labels in a row that is no finding

// What annotators may prefer, where complete rows show it. Rows with one known label are many and
// speak through a model that is not quite true: they count no more than so many rows for each that
// is complete.
constexpr double kProminenceDeviation = 0.5, kClassDeviation = 0.5;
constexpr double kNamedForEachComplete = 10;
// How strongly annotators may prefer what is evident where nothing shows it; each strength is as
// likely as the labels say.
constexpr double kHeldProminence = 0.01;
constexpr double kSurest = 5;        // of a logit, beyond what the number of rows shows
constexpr double kLeastRise = 0.01;  // of a logit, for a deviation of the scores
constexpr double kProminenceGrid[] = {-0.3, -0.15, 0.2, 0.4};

double minimise_with(const LabelModel& model, std::span<const Belief> beliefs, Parameters& x) {
  return minimise(
      [&](std::span<const double> at, std::span<double> gradient) {
        return model.objective(at, beliefs, gradient);
      },
      x);
}

// The likelihood may have a ridge for few labels in a row and one for many: start on both sides.
Parameters fit_without_belief(const LabelModel& model, double labels) {
  Parameters best;
  double least = 0;
  for (const double k : {0.2, 1.5, 6.0}) {
    if (k >= labels) continue;
    Parameters x = model.start(k);
    const double value = minimise_with(model, {}, x);
    if (!best.empty() && value >= least) continue;
    best = std::move(x);
    least = value;
  }
  return best;
}

// What can be said of k from the chances q of labels to be named, which are known whatever k is. A
// row has q_j = P(label there) * (1 / number of labels) at most 1 / (number of labels), so that k
// is at most the mean of 1 / max q, and that where every row has a label that is certain. Rows in
// which one label is nearly certain to be named have few labels: most rows have more.
Belief belief_from_bounds(std::vector<double> likeliest, double labels) {
  double most = 0;
  for (const double q : likeliest) most += 1 / std::max(q, 1 / labels);
  most /= static_cast<double>(likeliest.size());
  std::ranges::sort(likeliest);
  const auto at = static_cast<size_t>(kNearCertainty * static_cast<double>(likeliest.size() - 1));
  const double least = std::clamp(1 / likeliest[at], 1.0, most);
  const double spread = std::log(most / least);
  return {std::log(least) + spread / 2, std::max(0.15, spread / 3)};
}

// The usual labels per row, for scores that say nothing: data sets with 6, 80 and 983 labels have
// 1.9, 2.9 and 19 per row, and most others about the cube root of L, too.
Belief usual_belief(double labels) { return {std::log(labels) / 3, kUsualDeviation}; }

// Uninformative scores are explained as well by rows that have every label as by any others, so
// that such a k means nothing.
bool scores_tell(const LabelModel& model, const LabelModel::Summary& first, double labels) {
  if (first.k > kEveryLabel * labels) return false;
  const double gain = first.log_likelihood - model.log_likelihood_by_frequency();
  const double total = gain * static_cast<double>(model.partial_rows());
  return !model.never_empty() || total > kTelling || gain > kTellingOfARow;
}

// What is believed of k where no row is known completely, before the labels are asked with it.
Belief belief_about_k(const LabelModel& model, const LabelFitInput& input,
                      const LabelModel::Summary& first) {
  const auto labels = static_cast<double>(input.logits.cols);
  if (input.k) {
    const double deviation = input.hold_k ? kHeldDeviation : kGivenDeviation;
    return {std::log(std::clamp(*input.k, 1e-3, labels)), deviation};
  }
  if (!scores_tell(model, first, labels)) return usual_belief(labels);
  return belief_from_bounds(first.likeliest, labels);
}

struct BestFit {
  Parameters x;
  double objective = 0;
  Belief belief;
};

std::optional<Preference> preference_shown(const LabelModel& model) {
  if (model.complete_rows() == 0 || model.partial_rows() == 0) return std::nullopt;
  return Preference{.prominence_deviation = kProminenceDeviation,
                    .class_deviation = kClassDeviation,
                    .rows_for_each_complete = kNamedForEachComplete};
}

// Complete rows tell how many labels a row has: the likelihood holds what they say, and the belief
// only says where to begin.
BestFit fit_with_preference(const LabelModel& model) {
  Belief belief = model.count_of_complete_rows();
  BestFit fit{model.start(std::exp(belief.centre)), 0, {belief.centre, 1}};
  const Belief held{belief.centre, kHeldDeviation};
  minimise_with(model, {&held, 1}, fit.x);
  fit.objective = minimise_with(model, {&fit.belief, 1}, fit.x);
  return fit;
}

BestFit best_fit(const LabelModel& model, const LabelFitInput& input) {
  const auto labels = static_cast<double>(input.logits.cols);
  const auto from_belief = [&](const Belief& belief) {
    BestFit fit{model.start(std::min(std::exp(belief.centre), 0.9 * labels)), 0, belief};
    // First held to the belief: on the way to better slopes, k could fall to where nothing moves
    // it.
    const Belief held{belief.centre, std::min(belief.deviation, kHeldDeviation)};
    if (model.partial_rows() > 0) minimise_with(model, {&held, 1}, fit.x);
    fit.objective = minimise_with(model, {&belief, 1}, fit.x);
    return fit;
  };
  // Complete rows have one best fit, wherever it is begun.
  if (model.partial_rows() == 0) return from_belief(model.count_of_complete_rows());
  Parameters unbelieving = fit_without_belief(model, labels);
  const LabelModel::Summary first = model.summary(unbelieving);
  const bool complete = model.complete_rows() > 0;
  // Where the labels are silent about k, the first fit may lie where nothing moves it.
  BestFit fit =
      from_belief(complete ? model.count_of_complete_rows() : belief_about_k(model, input, first));
  if (!complete && (input.hold_k || !scores_tell(model, first, labels))) return fit;
  const double other = minimise_with(model, {&fit.belief, 1}, unbelieving);
  if (other <= fit.objective) {
    fit.objective = other;
    fit.x = std::move(unbelieving);
  }
  return fit;
}

// How far log k can move in one direction before the labels and the belief speak against it.
double profile(const LabelModel& model, const Belief& belief, const Parameters& optimum,
               double least, double log_k, double direction, double limit, double enough) {
  Parameters x = optimum, ignored(optimum.size());
  double before = log_k, rise_before = 0;
  for (double step = 0.04; std::abs(before - log_k) < 4; step *= 1.6) {
    const double target = log_k + direction * step;
    if (direction * (target - limit) >= 0) return limit;
    const Belief beliefs[] = {belief, {target, kProfileDeviation}};
    minimise_with(model, beliefs, x);
    double reached = std::log(model.summary(x).k);
    if (std::abs(reached - target) > 0.5 * step) {  // where every label is certain, nothing moves
      x = model.start(std::exp(target));
      minimise_with(model, beliefs, x);
      reached = std::log(model.summary(x).k);
    }
    const double rise = model.objective(x, {&belief, 1}, ignored) - least;
    if (rise >= enough) {
      // The rise is about quadratic in the distance.
      const double from = std::sqrt(std::max(rise_before, 0.0)), to = std::sqrt(rise);
      const double share = (std::sqrt(enough) - from) / std::max(to - from, 1e-9);
      return before + std::clamp(share, 0.0, 1.0) * (reached - before);
    }
    if (std::abs(reached - target) > 0.5) return reached;  // held by a bound of the model
    before = reached;
    rise_before = rise;
  }
  return before;
}

// A label whose scores say nothing, or the opposite of what is known, still gets a rising curve, if
// a flat one, and n rows without an exception do not make it certain: probabilities rank rows as
// scores do, without rounding to one number.
void keep_apart(const View<const float>& logits, Calibration& curve) {
  const auto n = static_cast<double>(std::max<size_t>(logits.rows, 1));
  const double most = kSurest + std::log(2 * n);
  for (size_t j = 0; j < logits.cols; ++j) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < logits.rows; ++i) mean += static_cast<double>(logits(i, j)) / n;
    for (size_t i = 0; i < logits.rows; ++i) {
      square += std::pow(static_cast<double>(logits(i, j)) - mean, 2) / n;
    }
    const double least = kLeastRise / std::max(std::sqrt(square), 1e-3);
    const double middle = std::clamp(curve.slope[j] * mean + curve.offset[j], -most, most);
    if (curve.slope[j] >= least && middle == curve.slope[j] * mean + curve.offset[j]) continue;
    curve.slope[j] = std::max(curve.slope[j], least);
    curve.offset[j] = middle - curve.slope[j] * mean;
  }
}

// Each label's curve of the probability that a new row has it. Where rows are never empty that
// probability depends on the row's other scores too; the curve is the nearest to it.
Calibration marginal_curves(const LabelModel& model, const LabelFitInput& input,
                            const Parameters& x) {
  Calibration curve = model.curves(x);
  keep_apart(input.logits, curve);
  if (!model.never_empty()) return curve;
  const auto columns = model.columns(x);
  parallel_for(columns.size(), input.threads, [&](size_t j) {
    fit_curve(columns[j].logits, columns[j].present, curve.slope[j], curve.offset[j]);
  });
  keep_apart(input.logits, curve);
  return curve;
}

// A label's share of rows: how often it is named, over how often it is named where it is there.
std::vector<double> priors_of(const LabelModel::Summary& summary, std::span<const double> frequency,
                              bool named_at_random) {
  std::vector<double> priors = summary.present;
  if (named_at_random) {
    for (size_t j = 0; j < priors.size(); ++j) {
      const double named_where_there = summary.observed[j] / std::max(priors[j], 1e-12);
      if (named_where_there > 1e-9) priors[j] = frequency[j] / named_where_there;
    }
  }
  const double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
  for (double& prior : priors) prior = std::min(1.0, prior * summary.k / std::max(sum, 1e-12));
  return priors;
}

// A fit for annotators with a given preference for what is evident.
struct Preferring {
  LabelModel model;
  Parameters x;
  double objective, log_k;
  double slack = 0;  // by how much the objective may rise
};

// Those that explain the labels about as well as the best, by strength. Never empty.
std::vector<Preferring> fit_preferences(const LabelFitInput& input, double k) {
  std::vector<Preferring> fits;
  double least = std::numeric_limits<double>::infinity();
  for (const double strength : kProminenceGrid) {
    LabelModel model(input,
                     Preference{.prominence = strength, .prominence_deviation = kHeldProminence});
    Parameters x = model.start(k * std::exp(strength));
    const double objective = minimise_with(model, {}, x);
    const double log_k = std::log(model.summary(x).k);
    least = std::min(least, objective);
    fits.push_back({std::move(model), std::move(x), objective, log_k});
  }
  for (Preferring& one : fits) {
    one.slack = kConfidence + kSlackOfARow * static_cast<double>(one.model.partial_rows()) -
                (one.objective - least);
  }
  std::erase_if(fits, [](const Preferring& one) { return one.slack <= 0; });
  return fits;
}

// How many labels rows may have under any of these preferences.
void widen(std::span<const Preferring> fits, double labels, LabelFit& fit) {
  double low = std::log(fit.k_low), high = std::log(fit.k_high);
  for (const Preferring& one : fits) {
    low = std::min(low, one.log_k);
    high = std::max(high, one.log_k);
  }
  const auto reach = [](const Preferring& one, double direction, double limit) {
    const Belief nothing{0, 1e6};
    return profile(one.model, nothing, one.x, one.objective, one.log_k, direction, limit,
                   one.slack);
  };
  // The weakest and the strongest reach furthest.
  const Preferring &weakest = fits.front(), &strongest = fits.back();
  const double lower = weakest.model.never_empty() ? 0 : std::log(1e-3);
  low = std::min(low, reach(weakest, -1, std::min(lower, weakest.log_k)));
  high = std::max(high, reach(strongest, 1, std::log(labels)));
  fit.k_low = std::exp(low);
  fit.k_high = std::exp(high);
}

}  // namespace

LabelFit fit_labels(const LabelFitInput& input) {
  const auto labels = static_cast<double>(input.logits.cols);
  LabelModel model(input);
  const std::optional<Preference> preference = preference_shown(model);
  if (preference) model = LabelModel(input, preference);
  LabelFit fit;
  fit.complete_rows = model.complete_rows();
  fit.partial_rows = model.partial_rows();
  const auto [x, least, belief] = preference ? fit_with_preference(model) : best_fit(model, input);
  const LabelModel::Summary summary = model.summary(x);
  fit.k = summary.k;
  fit.log_likelihood = summary.log_likelihood;
  fit.prominence = model.prominence(x);
  fit.priors = priors_of(summary, input.frequency, fit.complete_rows == 0);
  fit.calibration = marginal_curves(model, input, x);
  std::vector<Preferring> others;
  if ((input.want_interval || input.want_alternatives) && fit.complete_rows == 0) {
    others = fit_preferences(input, fit.k);
  }
  for (const Preferring& one : others) {
    fit.alternatives.push_back(marginal_curves(one.model, input, one.x));
  }
  if (!input.want_interval) return fit;
  const double log_k = std::log(fit.k), lower = model.never_empty() ? 0 : std::log(1e-3);
  // Complete rows are few, and curves fit them well enough.
  const double slack = preference ? 0 : kSlackOfARow * static_cast<double>(model.partial_rows());
  const auto reach = [&, &x = x, &least = least, &belief = belief](double direction, double limit) {
    return profile(model, belief, x, least, log_k, direction, limit, kConfidence + slack);
  };
  fit.k_low = std::exp(reach(-1, std::min(lower, log_k)));
  fit.k_high = std::exp(reach(1, std::log(labels)));
  if (!others.empty()) widen(others, labels, fit);
  fit.k_is_certain = fit.k_high <= kCertain * fit.k_low;
  return fit;
}

}  // namespace spml
