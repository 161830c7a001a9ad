#include "ridge/least_squares.h"

#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "ridge/cholesky.h"
#include "ridge/product.h"
#include "testing.h"

namespace spml {
namespace {

std::vector<float> random_numbers(size_t n, uint64_t seed) {
  CounterRng rng(seed, Stream::kSynthetic);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

TEST(Product, AddsToWhatIsThereForAnyStrides) {
  const size_t m = 70, n = 300, k = 290;  // more than a tile, with odd ends
  const auto a = random_numbers(m * k, 1), b = random_numbers(k * n, 2);
  std::vector<float> c(m * n, 1.0f), transposed(m * n, 1.0f), at(k * m);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < k; ++j) at[j * m + i] = a[i * k + j];
  }
  add_product({a.data(), k, 1}, {b.data(), n, 1}, m, n, k, 2, c.data(), n, 1);
  add_product({at.data(), 1, m}, {b.data(), n, 1}, m, n, k, 2, transposed.data(), n, 3);
  EXPECT_EQ(c, transposed);
  for (const size_t i : {0, 63, 64, 69}) {
    for (const size_t j : {0, 255, 256, 299}) {
      double sum = 0;
      for (size_t s = 0; s < k; ++s) sum += double{a[i * k + s]} * b[s * n + j];
      EXPECT_NEAR(c[i * n + j], 1 + 2 * sum, 1e-3) << i << " " << j;
    }
  }
}

// n columns of noise times themselves, and something on the diagonal.
std::vector<float> moments_of_noise(size_t n) {
  const auto x = random_numbers((n + 50) * n, 3);
  std::vector<float> a(n * n);
  add_product({x.data(), 1, n}, {x.data(), n, 1}, n, n, n + 50, 1, a.data(), n, 2);
  for (size_t i = 0; i < n; ++i) a[i * n + i] += 20;
  return a;
}

TEST(Cholesky, SolvesAndHasTheDiagonalOfTheInverse) {
  const size_t n = 550;  // three blocks
  const std::vector<float> a = moments_of_noise(n);
  const Cholesky factor(a, n, 2);
  std::vector<float> inverse(n * n), product(n * n);
  for (size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  factor.solve(inverse.data(), n, 2);
  add_product({a.data(), n, 1}, {inverse.data(), n, 1}, n, n, n, 1, product.data(), n, 2);
  for (size_t i = 0; i < n * n; ++i) ASSERT_NEAR(product[i], i % (n + 1) == 0, 2e-4) << i;
  const std::vector<float> diagonal = factor.inverse_diagonal(2);
  for (size_t i = 0; i < n; ++i) ASSERT_NEAR(diagonal[i], inverse[i * n + i], 1e-6) << i;
}

TEST(Cholesky, ReadsTheLowerTriangleAloneAndIsTheSameForAnyNumberOfThreads) {
  const size_t n = 300;
  std::vector<float> a = moments_of_noise(n);
  std::vector<float> one = random_numbers(5 * n, 8), three = one;
  Cholesky(a, n, 1).solve(one.data(), 5, 1);
  for (size_t i = 0; i < n; ++i) std::fill_n(&a[i * n + i + 1], n - i - 1, NAN);
  Cholesky(a, n, 3).solve(three.data(), 5, 3);
  EXPECT_EQ(one, three);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  EXPECT_SPML_ERROR(Cholesky({1, 2, 2, 1}, 2, 1), testing::HasSubstr("dependent"));
}

// With fewer features than rows, with more, and with so many that a row all but decides its score.
class LeftOut : public testing::TestWithParam<size_t> {
 protected:
  static constexpr size_t kRows = 40, kLabels = 3;

  const size_t columns = GetParam();
  FeatureMatrix features{random_numbers(kRows * columns, 4), kRows, columns};
  Matrix<float> targets{kRows, kLabels, random_numbers(kRows* kLabels, 5)};

  static std::vector<int32_t> all() {
    std::vector<int32_t> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
};
INSTANTIATE_TEST_SUITE_P(LeastSquares, LeftOut, testing::Values(9, 60, 6000));

// With the same penalty in absolute terms, which is relative to the features of the rows fitted to.
TEST_P(LeftOut, ScoresAreThoseOfAFitWithoutTheRow) {
  LeastSquares squares(features, {}, all(), 1);
  Matrix<float> left_out(kRows, kLabels);
  squares.fit(squares.with_strength(0.5), targets, left_out.view());
  const auto spread = [&](const std::vector<int32_t>& rows) {
    double sum = 0;
    for (size_t c = 0; c < columns; ++c) {
      double mean = 0, squared = 0;
      for (const int32_t i : rows) mean += features.floats()(static_cast<size_t>(i), c);
      mean /= static_cast<double>(rows.size());
      for (const int32_t i : rows) {
        squared += std::pow(features.floats()(static_cast<size_t>(i), c) - mean, 2);
      }
      sum += squared;
    }
    return sum;
  };
  for (const size_t out : {size_t{0}, size_t{17}, kRows - 1}) {
    std::vector<int32_t> rows = all();
    rows.erase(rows.begin() + static_cast<ptrdiff_t>(out));
    LeastSquares others(features, {}, rows, 1);
    const auto solver = others.with_strength(0.5 * spread(all()) / spread(rows));
    Matrix<float> fewer(kRows - 1, kLabels), ignored(kRows - 1, kLabels);
    for (size_t i = 0; i + 1 < kRows; ++i) {
      std::ranges::copy(targets.row(static_cast<size_t>(rows[i])), fewer.row(i).begin());
    }
    const LinearFit fit = others.fit(solver, fewer, ignored.view());
    for (size_t j = 0; j < kLabels; ++j) {
      double score = fit.bias[j];
      for (size_t c = 0; c < columns; ++c) {
        score += double{fit.weight[j * columns + c]} * features.floats()(out, c);
      }
      EXPECT_NEAR(left_out(out, j), score, 1e-4) << out << " " << j;
    }
  }
}

TEST_P(LeftOut, TheNumberOfThreadsChangesNothing) {
  Matrix<float> one(kRows, kLabels), three(kRows, kLabels);
  LeastSquares a(features, {}, all(), 1), b(features, {}, all(), 3);
  EXPECT_EQ(a.fit(a.with_strength(1), targets, one.view()).weight,
            b.fit(b.with_strength(1), targets, three.view()).weight);
  EXPECT_EQ(one, three);
}

// Rows are fewer than columns once there are columns of nothing, which change neither the solution
// nor, but for their number, the penalty.
TEST(LeastSquares, BothFormsHaveTheSameSolution) {
  const size_t rows = 700, columns = 40, more = 800, labels = 3;  // two blocks of rows
  const std::vector<float> values = random_numbers(rows * columns, 6);
  std::vector<float> padded(rows * more);
  for (size_t i = 0; i < rows; ++i) {
    std::copy_n(&values[i * columns], columns, &padded[i * more]);
  }
  const Matrix<float> targets(rows, labels, random_numbers(rows * labels, 7));
  std::vector<int32_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  const FeatureMatrix narrow(values, rows, columns), wide(padded, rows, more);
  LeastSquares by_columns(narrow, {}, all, 2), by_rows(wide, {}, all, 2);
  const auto in_columns = by_columns.with_strength(0.3);
  const auto in_rows =
      by_rows.with_strength(0.3 * static_cast<double>(more) / static_cast<double>(columns));
  Matrix<float> a(rows, labels), b(rows, labels);
  const LinearFit expected = by_columns.fit(in_columns, targets, a.view()),
                  found = by_rows.fit(in_rows, targets, b.view());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data()[i], b.data()[i], 1e-4) << i;
  for (size_t j = 0; j < labels; ++j) {
    EXPECT_NEAR(expected.bias[j], found.bias[j], 1e-5);
    for (size_t c = 0; c < more; ++c) {
      const float weight = c < columns ? expected.weight[j * columns + c] : 0;
      ASSERT_NEAR(weight, found.weight[j * more + c], 1e-5) << j << " " << c;
    }
  }
}

TEST(LeastSquares, RefusesManyRowsOfManyFeatures) {
  const size_t rows = LeastSquares::kMostOrder + 1;
  EXPECT_TRUE(LeastSquares::can_fit(10, rows));
  EXPECT_TRUE(LeastSquares::can_fit(rows, 10));
  EXPECT_FALSE(LeastSquares::can_fit(rows, rows));
}

}  // namespace
}  // namespace spml
