#include "data/agreement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/fail.h"

namespace spml {
namespace {

constexpr double kDeviations = 1.645;  // of a 90 % interval

std::optional<size_t> only_positive(std::span<const int8_t> row) {
  std::optional<size_t> found;
  for (size_t j = 0; j < row.size(); ++j) {
    if (row[j] <= 0) continue;
    if (found) return std::nullopt;
    found = j;
  }
  return found;
}

// The labels of a row, at most `most`, that agree in this share of rows: E[1 / (1 + X)] of a
// Poisson X with mean m is (1 - exp(-m)) / m.
double labels_at(double share, double most) {
  double low = 1e-9, high = most - 1;
  for (int halving = 0; halving < 60; ++halving) {
    const double m = (low + high) / 2;
    (-std::expm1(-m) / m > share ? low : high) = m;
  }
  return 1 + low;
}

}  // namespace

AgreementK agreement_k(const LabelMatrix& first, const LabelMatrix& second) {
  if (first.rows() != second.rows() || first.cols() != second.cols()) {
    fail("{}: expected {} x {} labels as in {}, found {} x {}", second.source(), first.rows(),
         first.cols(), first.source(), second.rows(), second.cols());
  }
  const size_t labels = first.cols();
  std::vector<int8_t> a(labels), b(labels);
  AgreementK result;
  for (size_t i = 0; i < first.rows(); ++i) {
    first.read_row(i, a);
    second.read_row(i, b);
    const auto one = only_positive(a), other = only_positive(b);
    if (!one || !other) continue;
    ++result.rows;
    result.agreements += *one == *other;
  }
  if (result.rows == 0) {
    fail("{}: expected rows with one label here and one in {}, found none", second.source(),
         first.source());
  }
  // Wilson's interval of the share.
  const auto n = static_cast<double>(result.rows);
  const double share = static_cast<double>(result.agreements) / n,
               square = kDeviations * kDeviations;
  const double centre = (share + square / (2 * n)) / (1 + square / n);
  const double reach =
      kDeviations / (1 + square / n) * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  const auto most = std::max(static_cast<double>(labels), 1 + 1e-6);
  result.k = labels_at(share, most);
  result.k_low = labels_at(std::min(1.0, centre + reach), most);
  result.k_high = labels_at(std::max(0.0, centre - reach), most);
  return result;
}

}  // namespace spml
