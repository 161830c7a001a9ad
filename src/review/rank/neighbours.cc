#include "review/rank/neighbours.h"

#include <algorithm>
#include <cmath>

namespace spml::review {
namespace {

constexpr size_t kMaxCompared = 4096;

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += static_cast<double>(a[d]) * b[d];
  return sum;
}

}  // namespace

Neighbours::Neighbours(const Dataset& data, const LabelMatrix& observed)
    : data_(data), positives_(observed.cols()) {
  std::vector<int8_t> labels(observed.cols());
  for (size_t i = 0; i < observed.rows(); ++i) {
    observed.read_row(i, labels);
    for (size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] > 0) positives_[j].push_back(static_cast<int32_t>(i));
    }
  }
}

std::vector<Neighbour> Neighbours::nearest(Entry entry, size_t count) const {
  const FeatureMatrix& features = data_.train_file.features;
  const auto& candidates = positives_.at(static_cast<size_t>(entry.label));
  const size_t step = candidates.size() / kMaxCompared + 1;
  std::vector<float> own(features.cols()), other(features.cols());
  features.read_row(static_cast<size_t>(entry.row), own);
  const double own_length = std::sqrt(dot(own, own));
  std::vector<Neighbour> found;
  for (size_t i = 0; i < candidates.size(); i += step) {
    if (candidates[i] == entry.row) continue;
    features.read_row(static_cast<size_t>(candidates[i]), other);
    const double lengths = own_length * std::sqrt(dot(other, other));
    const double cosine = lengths > 0 ? dot(own, other) / lengths : 0;
    found.push_back({candidates[i], static_cast<float>(cosine)});
  }
  const size_t kept = std::min(count, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const Neighbour& a, const Neighbour& b) {
                      return a.similarity != b.similarity ? a.similarity > b.similarity
                                                          : a.row < b.row;
                    });
  found.resize(kept);
  return found;
}

}  // namespace spml::review
