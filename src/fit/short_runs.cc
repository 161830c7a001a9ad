#include "fit/short_runs.h"

#include <algorithm>
#include <cmath>

namespace spml {
namespace {

constexpr double kUsualSteps = 7000;  // of 25 epochs on the data that learning rates were tuned on
constexpr int kScreenEpochs = 8;
constexpr double kScreenSteps = 2000;  // of a short run, at least: small data is cheap to train on

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

}  // namespace spml
