#include "linear/features.h"

#include <cmath>
#include <limits>

#include "base/prefetch.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

// Means and sums of squared deviations of all ranks' rows, from each rank's own (Chan et al.).
void merge(Cluster& cluster, double& count, std::vector<double>& mean,
           std::vector<double>& squares) {
  double all = count;
  cluster.sum(std::span<double>(&all, 1));
  std::vector<double> common(mean.size());
  for (size_t c = 0; c < mean.size(); ++c) common[c] = mean[c] * count / all;
  cluster.sum(std::span<double>(common));
  for (size_t c = 0; c < mean.size(); ++c) {
    squares[c] += count * (mean[c] - common[c]) * (mean[c] - common[c]);
  }
  cluster.sum(std::span<double>(squares));
  mean = common;
  count = all;
}

}  // namespace

FeatureTransform fit_transform(TransformKind kind, const FeatureMatrix& features,
                               std::span<const int32_t> rows, Cluster* others) {
  FeatureTransform transform;
  transform.kind = kind;
  if (kind != TransformKind::kStandardize) return transform;

  // Welford's update: one pass, stable in the presence of large means.
  const size_t columns = features.cols();
  std::vector<double> mean(columns), squares(columns);
  std::vector<float> row(columns);
  double count = 0;
  for (const int32_t r : rows) {
    features.read_row(static_cast<size_t>(r), row);
    ++count;
    for (size_t c = 0; c < columns; ++c) {
      const double delta = row[c] - mean[c];
      mean[c] += delta / count;
      squares[c] += delta * (row[c] - mean[c]);
    }
  }
  if (others != nullptr) merge(*others, count, mean, squares);
  for (size_t c = 0; c < columns; ++c) {
    const double deviation = std::sqrt(squares[c] / count);
    transform.mean.push_back(static_cast<float>(mean[c]));
    // A column that is constant, or all but, keeps scale 1.
    const bool varies =
        deviation >= std::numeric_limits<float>::min();  // and 1/deviation is a float
    transform.inverse_scale.push_back(varies ? static_cast<float>(1 / deviation) : 1.0f);
  }
  return transform;
}

void save_transform(const FeatureTransform& transform, SafetensorsWriter& out) {
  if (transform.kind == TransformKind::kStandardize) {
    out.add("transform.mean", {transform.mean.size()}, transform.mean);
    out.add("transform.inverse_scale", {transform.mean.size()}, transform.inverse_scale);
  }
  out.add_metadata("transform", std::string(to_string(transform.kind)));
}

void prefetch_row(const FeatureMatrix& features, size_t row) {
  if (features.is_half()) {
    prefetch(features.halves().row(row), features.cols() * sizeof(uint16_t));
  } else {
    prefetch(features.floats().row(row), features.cols() * sizeof(float));
  }
}

void pack_rows(const FeatureMatrix& features, std::span<const int32_t> rows,
               const FeatureTransform& transform, size_t first, size_t last, float* packed) {
  for (size_t b = first; b < last; ++b) {
    const auto row = static_cast<size_t>(rows[b]);
    if (features.is_half()) {
      pack_row(features.halves().row(row), features.cols(), transform.row(), b, rows.size(),
               packed);
    } else {
      pack_row(features.floats().row(row), features.cols(), transform.row(), b, rows.size(),
               packed);
    }
  }
}

}  // namespace spml
