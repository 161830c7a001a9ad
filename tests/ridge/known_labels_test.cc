#include "ridge/known_labels.h"

#include <numeric>

#include "base/rng.h"
#include "testing.h"

namespace spml {
namespace {

// Rows of three labels, each there where a feature of its own is positive; one label of a row is
// known.
class KnownLabels : public testing::Test {
 protected:
  static constexpr size_t kRows = 300, kColumns = 6, kLabels = 3;

  KnownLabels() {
    CounterRng rng(7, Stream::kSynthetic);
    std::vector<float> values(kRows * kColumns);
    for (float& value : values) value = static_cast<float>(rng.normal());
    for (size_t i = 0; i < kRows; ++i) {
      std::vector<size_t> there;
      for (size_t j = 0; j < kLabels; ++j) {
        truth(i, j) = values[i * kColumns + j] > 0;
        if (truth(i, j) > 0) there.push_back(j);
      }
      if (!there.empty()) known(i, there[rng.below(there.size())]) = 1;
    }
    features = FeatureMatrix(std::move(values), kRows, kColumns);
  }

  static std::vector<int32_t> all() {
    std::vector<int32_t> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  KnownLabelClassifier classifier(double k, double strength = 0) const {
    return {features, {}, all(), known, k, 1, strength};
  }
  // Mean score of hidden positives less that of true negatives.
  double margin(const Matrix<float>& scores) const {
    double hidden = 0, absent = 0, hidden_count = 0, absent_count = 0;
    for (size_t i = 0; i < known.size(); ++i) {
      if (known.data()[i] != 0) continue;
      (truth.data()[i] > 0 ? hidden : absent) += scores.data()[i];
      ++(truth.data()[i] > 0 ? hidden_count : absent_count);
    }
    return hidden / hidden_count - absent / absent_count;
  }
  double mean_score(const LinearFit& fit) const {
    double sum = 0;
    for (size_t i = 0; i < kRows; ++i) {
      for (size_t j = 0; j < kLabels; ++j) {
        sum += fit.bias[j];
        for (size_t c = 0; c < kColumns; ++c) {
          sum += fit.weight[j * kColumns + c] * features.floats()(i, c);
        }
      }
    }
    return sum / static_cast<double>(kRows);
  }

  FeatureMatrix features;
  Matrix<int8_t> truth{kRows, kLabels}, known{kRows, kLabels};
};

TEST_F(KnownLabels, FindsThoseThatAreHidden) {
  EXPECT_GT(margin(classifier(1.5).fit(known).left_out), 0.2);
}

TEST_F(KnownLabels, NoMoreAreBelievedMissingThanRowsHave) {
  const double one = mean_score(classifier(1, 1).fit(known).fit);
  const double two = mean_score(classifier(2, 1).fit(known).fit);
  EXPECT_LT(one, 1.05);  // a row's labels, by a fit that believes in one
  EXPECT_GT(two, one + 0.1);
}

TEST_F(KnownLabels, KnownNegativesLowerWhatIsSaidOfTheirLabel) {
  const LinearFit before = classifier(1.5, 1).fit(known).fit;
  for (size_t i = 0; i < kRows; ++i) {
    if (truth(i, 0) == 0) known(i, 0) = -1;
  }
  const LinearFit after = classifier(1.5, 1).fit(known).fit;
  EXPECT_GT(after.weight[0], before.weight[0]);
}

TEST_F(KnownLabels, TheStrengthIsChosenUnlessGiven) {
  EXPECT_GT(classifier(1.5).strength(), 0);
  EXPECT_EQ(classifier(1.5, 0.7).strength(), 0.7);
}

}  // namespace
}  // namespace spml
