// Every estimator against its formula in double precision: gradients by finite differences, dense
// Adam on all parameters.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>

#include "dense_adam.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "linear/factored_estimator.h"
#include "linear/network_estimator.h"
#include "testing.h"
#include "train/table_estimator.h"

namespace spml {
namespace {

using Values = std::vector<double>;

constexpr size_t kRows = 24, kLabels = 5, kFeatures = 6, kBatch = 9;
constexpr size_t kWidth = 3;  // rank or hidden units: less than a vector
constexpr double kRate = 1e-2;

std::vector<float> random_values(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

const std::vector<float> kFeatureValues = random_values(kRows * kFeatures, 3);
const FeatureMatrix kFeatureMatrix(View<const float>{kFeatureValues.data(), kRows, kFeatures});

// The training rows, in another order than the file's, so that the two are told apart.
std::vector<int32_t> reversed_rows() {
  std::vector<int32_t> rows(kRows);
  std::iota(rows.rbegin(), rows.rend(), 0);
  return rows;
}
const std::vector<int32_t> kFileRows = reversed_rows();

LinearConfig config_of(int threads = 1) {
  LinearConfig config;
  config.features = kWidth;
  config.labels = kLabels;
  config.batch = kBatch;
  config.adam.lr = kRate;
  config.threads = threads;
  config.seed = 4;
  return config;
}

// An estimator and its formula u(parameters, row, label).
struct Subject {
  std::string name;
  std::function<std::unique_ptr<LabelEstimator>()> make;
  std::vector<std::string> tensors;  // of estimator.safetensors; empty: estimates.npy
  std::function<double(const Values&, size_t row, size_t label)> formula;
};

std::unique_ptr<LabelEstimator> make_table() {
  auto table = std::make_unique<TableEstimator>(kRows, kLabels, config_of().adam);
  const std::vector<int8_t> unknown(kLabels);
  for (size_t i = 0; i < kRows; ++i) table->start_row(i, unknown, 4, i);
  return table;
}

double factored(const Values& p, size_t row, size_t label) {
  const double* u = &p[row * kWidth];
  const double* v = &p[kRows * kWidth + label * kWidth];
  return std::inner_product(u, u + kWidth, v, p[(kRows + kLabels) * kWidth + label]);
}

double network(const Values& p, size_t row, size_t label) {
  const double *w1 = p.data(), *b1 = w1 + kWidth * kFeatures, *w2 = b1 + kWidth;
  const double* b2 = w2 + kLabels * kWidth;
  const float* x = &kFeatureValues[static_cast<size_t>(kFileRows[row]) * kFeatures];
  double u = b2[label];
  for (size_t h = 0; h < kWidth; ++h) {
    const double z = std::inner_product(x, x + kFeatures, w1 + h * kFeatures, b1[h]);
    u += w2[label * kWidth + h] * std::max(z, 0.0);
  }
  return u;
}

const Subject kSubjects[] = {
    {"table",
     make_table,
     {},
     [](const Values& p, size_t row, size_t label) { return p[row * kLabels + label]; }},
    {"factored",
     [] { return std::make_unique<FactoredEstimator>(config_of(), kFileRows); },
     {"U", "V", "b"},
     factored},
    {"network",
     [] {
       return std::make_unique<NetworkEstimator>(config_of(), FeatureTransform(), kFeatureMatrix,
                                                 kFileRows);
     },
     {"W1", "b1", "W2", "b2"},
     network},
};

double logit(double p) { return std::log(p / (1 - p)); }

// What write_best() wrote, as the formula's parameters.
Values parameters_of(const Subject& subject, LabelEstimator& estimator) {
  TemporaryFolder folder;
  estimator.write_best(folder.path());
  Values values;
  if (subject.tensors.empty()) {
    const NpyArray estimates(folder / "estimates.npy");
    for (size_t i = 0; i < kRows; ++i) {
      for (size_t j = 0; j < kLabels; ++j) values.push_back(logit(estimates.at(i, j)));
    }
    return values;
  }
  const SafetensorsFile file(folder / "estimator.safetensors");
  for (const std::string& name : subject.tensors) {
    const std::vector<float> tensor = file.floats(name);
    values.insert(values.end(), tensor.begin(), tensor.end());
  }
  return values;
}

// A quadratic of a batch's logits, with a target for each entry; the rows of batch t.
double target(size_t row, size_t label) {
  return std::sin(static_cast<double>(row * kLabels + label));
}
std::vector<int32_t> batch_rows(size_t t) {
  std::vector<int32_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(static_cast<uint32_t>(t)));
  rows.resize(kBatch);
  return rows;
}

void train(LabelEstimator& estimator, size_t first_step, size_t steps) {
  std::vector<float> u(kBatch * kLabels), gradient(kBatch * kLabels);
  for (size_t t = first_step; t < first_step + steps; ++t) {
    const std::vector<int32_t> rows = batch_rows(t);
    estimator.prefetch(rows);
    estimator.fetch(rows, {u.data(), kBatch, kLabels});
    for (size_t i = 0; i < u.size(); ++i) {
      const auto row = static_cast<size_t>(rows[i / kLabels]);
      gradient[i] = u[i] - static_cast<float>(target(row, i % kLabels));
    }
    estimator.apply(rows, {gradient.data(), kBatch, kLabels});
  }
}

std::vector<float> probabilities_of(LabelEstimator& estimator) {
  std::vector<float> p(kRows * kLabels);
  estimator.probabilities(0, {p.data(), kRows, kLabels});
  return p;
}

double quadratic(const Subject& subject, const Values& parameters, std::span<const int32_t> rows) {
  double value = 0;
  for (const int32_t r : rows) {
    const auto row = static_cast<size_t>(r);
    for (size_t j = 0; j < kLabels; ++j) {
      const double difference = subject.formula(parameters, row, j) - target(row, j);
      value += difference * difference / 2;
    }
  }
  return value;
}

Values numeric_gradient(const Subject& subject, Values parameters, std::span<const int32_t> rows) {
  constexpr double kStep = 1e-5;
  Values gradient;
  for (double& p : parameters) {
    const double before = p;
    p = before + kStep;
    const double above = quadratic(subject, parameters, rows);
    p = before - kStep;
    gradient.push_back((above - quadratic(subject, parameters, rows)) / (2 * kStep));
    p = before;
  }
  return gradient;
}

double largest_difference(const Values& a, const Values& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

class Estimators : public testing::TestWithParam<Subject> {};

TEST_P(Estimators, AgreeWithFiniteDifferencesAndDenseAdam) {
  const Subject& subject = GetParam();
  const Values start = parameters_of(subject, *subject.make());
  DenseAdam dense(config_of().adam, start);
  const auto estimator = subject.make();
  constexpr size_t kSteps = 120;
  for (size_t t = 0; t < kSteps; ++t) {
    dense.step(numeric_gradient(subject, dense.values(), batch_rows(t)));
  }
  train(*estimator, 0, kSteps);
  estimator->keep_best();
  const std::vector<float> p = probabilities_of(*estimator);
  for (size_t i = 0; i < p.size(); ++i) {
    const double u = subject.formula(dense.values(), i / kLabels, i % kLabels);
    EXPECT_NEAR(p[i], 1 / (1 + std::exp(-u)), 1e-4) << i;
  }
  const Values found = parameters_of(subject, *estimator);
  EXPECT_GT(largest_difference(start, found), 0.1) << "nothing was learned";
  EXPECT_LT(largest_difference(dense.values(), found), 5e-4);
}

TEST_P(Estimators, KeepWhatWasBest) {
  const auto estimator = GetParam().make();
  train(*estimator, 0, 10);
  estimator->keep_best();
  const auto same = GetParam().make();
  train(*same, 0, 10);
  train(*estimator, 10, 10);
  EXPECT_EQ(parameters_of(GetParam(), *estimator), parameters_of(GetParam(), *same));
}

TEST_P(Estimators, GoOnFromASavedStateWithTheSameBits) {
  TemporaryFolder folder;
  for (const bool with_best : {false, true}) {
    const auto whole = GetParam().make(), resumed = GetParam().make();
    train(*whole, 0, 10);
    if (with_best) whole->keep_best();
    train(*whole, 10, 3);
    SafetensorsWriter writer;
    whole->save_state(writer);
    writer.write(folder / "state");
    resumed->load_state(SafetensorsFile(folder / "state"), 13);
    EXPECT_EQ(probabilities_of(*whole), probabilities_of(*resumed));
    train(*whole, 13, 10);
    train(*resumed, 13, 10);
    EXPECT_EQ(probabilities_of(*whole), probabilities_of(*resumed));
    EXPECT_EQ(parameters_of(GetParam(), *whole), parameters_of(GetParam(), *resumed));
  }
}

TEST_P(Estimators, RefuseTheStateOfAnother) {
  TemporaryFolder folder;
  for (const Subject& other : kSubjects) {
    if (other.name == GetParam().name) continue;
    SafetensorsWriter writer;
    const auto estimator = other.make();
    estimator->save_state(writer);
    writer.write(folder / "state");
    EXPECT_SPML_ERROR(GetParam().make()->load_state(SafetensorsFile(folder / "state"), 0),
                      testing::HasSubstr("estimator."));
  }
}

TEST_P(Estimators, StartNearOneHalf) {
  for (const float p : probabilities_of(*GetParam().make())) {
    EXPECT_GT(p, 0.2);
    EXPECT_LT(p, 0.8);
  }
}

TEST_P(Estimators, MeanPositivesIsTheMeanOfTheRowsSums) {
  const auto estimator = GetParam().make();
  train(*estimator, 0, 5);
  const std::vector<float> p = probabilities_of(*estimator);
  EXPECT_NEAR(mean_positives(*estimator), std::accumulate(p.begin(), p.end(), 0.0) / kRows, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, Estimators, testing::ValuesIn(kSubjects),
                         [](const auto& subject) { return subject.param.name; });

TEST(FactoredEstimator, ARowStartsTheSameWhateverTheOthers) {
  LinearConfig config = config_of();
  FactoredEstimator all(config, kFileRows), some(config, std::span(kFileRows).subspan(7, 4));
  const std::vector<float> p = probabilities_of(all);
  std::vector<float> part(4 * kLabels);
  some.probabilities(0, {part.data(), 4, kLabels});
  EXPECT_TRUE(std::equal(part.begin(), part.end(), p.begin() + 7 * kLabels));
  config.seed = 5;
  FactoredEstimator other(config, kFileRows);
  EXPECT_NE(p, probabilities_of(other));
}

}  // namespace
}  // namespace spml
