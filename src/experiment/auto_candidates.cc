// What a search tries. See docs/choosing.md for what the list was chosen by.
#include <algorithm>
#include <cmath>

#include "experiment/auto.h"

namespace spml {
namespace {

constexpr size_t kBatch = 16;
constexpr double kUsualSteps = 7000;  // of 25 epochs on the data that the rates are for
constexpr int kScreenEpochs = 8;
constexpr double kScreenSteps = 2000;  // of a short run, at least: small data is cheap to train on

struct LossChoice {
  const char* loss;
  LossParameters params;
};

// an, wan and epr first: whatever else is tried, the choice is never worse than the best of them as
// far as validation can tell.
const std::vector<LossChoice>& loss_choices() {
  static const std::vector<LossChoice> choices = {{"an", {}},
                                                  {"wan", {}},
                                                  {"epr", {}},
                                                  {"em", {{"alpha", 0.1}}},
                                                  {"gr", {}},
                                                  {"role", {}},
                                                  {"role+em", {{"alpha", 0.1}}},
                                                  {"ridge", {}}};
  return choices;
}

// Two digits, so that the settings can be typed.
double rounded(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

}  // namespace

int screening_epochs(size_t train_rows, size_t batch) {
  const double steps = static_cast<double>(train_rows) / static_cast<double>(batch);
  return std::max(kScreenEpochs, static_cast<int>(std::min(std::ceil(kScreenSteps / steps), 25.0)));
}

double step_size_for(double lr, size_t train_rows, size_t batch) {
  const double steps = 25.0 * static_cast<double>(train_rows) / static_cast<double>(batch);
  return rounded(lr * std::clamp(std::sqrt(kUsualSteps / std::max(steps, 1.0)), 0.5, 4.0));
}

std::vector<TrainConfig> screening_candidates(const TrainConfig& base, size_t train_rows) {
  const size_t batch = std::max<size_t>(1, std::min(kBatch, train_rows));
  std::vector<TrainConfig> list;
  const auto add = [&](const LossChoice& choice, TransformKind transform, double lr) {
    TrainConfig config = base;
    config.loss = choice.loss;
    config.params = choice.params;
    config.transform = transform;
    config.batch = batch;
    config.lr = step_size_for(lr, train_rows, batch);
    list.push_back(std::move(config));
  };
  for (const TransformKind transform :
       {TransformKind::kSqrt, TransformKind::kStandardize, TransformKind::kNone}) {
    for (const LossChoice& choice : loss_choices()) add(choice, transform, 1e-3);
  }
  return list;
}

}  // namespace spml
