#include "data/synth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "base/rng.h"

namespace spml {
namespace {

constexpr size_t kLabelsPerScene = 5;
constexpr size_t kNuisances = 8;
constexpr double kTail = 0.7;    // frequency of the j-th class ~ (j + 1)^-kTail
constexpr double kAtHome = 8.0;  // how much likelier a class is in its own scene
constexpr double kActive = 0.2;  // share of the features that a prototype uses
constexpr double kShared = 0.5;  // share of a scene's prototype in those of its classes
constexpr double kClassStrength = 4.2;
constexpr double kSceneStrength = 2.0;
constexpr double kNuisanceStrength = 1.5;
constexpr double kSizeSpread = 0.5;  // log-deviation of an object's strength: some are faint
constexpr float kBase = 0.25f;       // the mean activation of noise, before the ReLU

// What random numbers are for: keeps their counters apart.
enum class Purpose : uint64_t { kModel, kScene, kLabels, kFeatures };

CounterRng random_for(uint64_t seed, Purpose purpose, int part = 0, size_t row = 0) {
  const uint64_t counter = (static_cast<uint64_t>(purpose) * 2 + static_cast<uint64_t>(part)) << 48;
  return CounterRng(seed, Stream::kSynthetic, counter + row);
}

// A direction of length `strength` that uses a random few of the features.
void draw_prototype(CounterRng& random, double strength, std::span<float> out) {
  double square = 0;
  for (float& x : out) {
    const bool active = random.uniform() < kActive;
    x = active ? static_cast<float>(std::abs(random.normal())) : 0.0f;
    square += double{x} * x;
  }
  if (square == 0) {  // few features: use one
    out[random.below(out.size())] = 1.0f;
    square = 1;
  }
  const auto scale = static_cast<float>(strength / std::sqrt(square));
  for (float& x : out) x *= scale;
}

void add_scaled(std::span<float> out, const float* direction, double scale) {
  const auto s = static_cast<float>(scale);
  for (size_t d = 0; d < out.size(); ++d) out[d] += s * direction[d];
}

void check(const SynthOptions& options, double k) {
  constexpr size_t kMaxRows = 100'000'000, kMaxSide = 1'000'000, kMaxModel = size_t{1} << 30;
  if (options.rows < 1 || options.rows > kMaxRows) {
    fail_usage("expected from 1 to {} rows, found {}", kMaxRows, options.rows);
  }
  if (options.test_rows && (*options.test_rows < 1 || *options.test_rows > kMaxRows)) {
    fail_usage("expected from 1 to {} test rows, found {}", kMaxRows, *options.test_rows);
  }
  if (options.labels < 1 || options.features < 1 || options.labels > kMaxSide ||
      options.features > kMaxSide || options.labels * options.features > kMaxModel) {
    fail_usage(
        "expected at least one label and one feature, and at most {} of both multiplied, found "
        "{} labels and {} features",
        kMaxModel, options.labels, options.features);
  }
  if (!(k > 0 && k <= static_cast<double>(options.labels))) {
    fail_usage("expected the expected positives to be above 0 and at most {} labels, found {}",
               options.labels, k);
  }
}

}  // namespace

SyntheticModel::SyntheticModel(const SynthOptions& options)
    : labels_(options.labels),
      features_(options.features),
      scenes_((options.labels + kLabelsPerScene - 1) / kLabelsPerScene),
      k_(options.expected_positives.value_or(
          std::min(1.5, static_cast<double>(options.labels) / 2))),
      seed_(options.seed) {
  check(options, k_);
  MemoryBudget().require(
      saturating_product(scenes_ + labels_ + kNuisances, features_, sizeof(float)),
      fmt::format("a model of {} labels x {} features", labels_, features_));
  CounterRng random = random_for(seed_, Purpose::kModel);
  scene_prototypes_.resize(scenes_ * features_);
  class_prototypes_.resize(labels_ * features_);
  nuisance_.resize(kNuisances * features_);
  const auto row = [&](std::vector<float>& matrix, size_t i) {
    return std::span(matrix).subspan(i * features_, features_);
  };
  for (size_t s = 0; s < scenes_; ++s) draw_prototype(random, 1.0, row(scene_prototypes_, s));
  for (size_t j = 0; j < labels_; ++j) {
    frequency_.push_back(std::pow(static_cast<double>(j + 1), -kTail));
    home_.push_back(random.below(scenes_));
    draw_prototype(random, kClassStrength, row(class_prototypes_, j));
    add_scaled(row(class_prototypes_, j), row(scene_prototypes_, home_[j]).data(),
               kShared * kClassStrength);
  }
  for (size_t n = 0; n < kNuisances; ++n) {
    draw_prototype(random, kNuisanceStrength, row(nuisance_, n));
  }
}

size_t SyntheticModel::scene_of(int part, size_t row) const {
  return random_for(seed_, Purpose::kScene, part, row).below(scenes_);
}

void SyntheticModel::draw_labels(int part, size_t row, std::span<int8_t> labels) const {
  CounterRng random = random_for(seed_, Purpose::kLabels, part, row);
  // How many: one for certain when k >= 1, the others each with the same chance; the mean is k.
  const bool certain = k_ >= 1;
  const size_t others = certain ? labels_ - 1 : 1;
  size_t count = certain ? 1 : 0;
  for (size_t j = 0; j < others; ++j) {
    count += random.uniform() * static_cast<double>(others) < (certain ? k_ - 1 : k_);
  }
  // Which: by weight without replacement, the smallest of exponential variates with those rates.
  const size_t scene = scene_of(part, row);
  std::vector<std::pair<double, size_t>> order(labels_);
  for (size_t j = 0; j < labels_; ++j) {
    const double weight = frequency_[j] * (home_[j] == scene ? kAtHome : 1.0);
    order[j] = {-std::log1p(-random.uniform()) / weight, j};
  }
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(count));
  std::ranges::fill(labels, int8_t{0});
  for (size_t c = 0; c < count; ++c) labels[order[c].second] = 1;
}

void SyntheticModel::draw_features(int part, size_t row, std::span<const int8_t> labels,
                                   std::span<float> features) const {
  CounterRng random = random_for(seed_, Purpose::kFeatures, part, row);
  std::ranges::fill(features, kBase);
  add_scaled(features, scene_prototypes_.data() + scene_of(part, row) * features_, kSceneStrength);
  for (size_t n = 0; n < kNuisances; ++n) {
    add_scaled(features, nuisance_.data() + n * features_, random.normal());
  }
  for (size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] != 1) continue;
    const double size = std::exp(kSizeSpread * random.normal());
    add_scaled(features, class_prototypes_.data() + j * features_, size);
  }
  for (float& x : features) x = std::max(0.0f, x + static_cast<float>(random.normal()));
}

}  // namespace spml
