// --transform: what is done to a feature row before the linear layer sees it. Statistics come from
// the training rows and are kept with the model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "data/dataset.h"
#include "linear/kernels.h"

namespace spml {

class SafetensorsWriter;

struct FeatureTransform {
  TransformKind kind = TransformKind::kNone;
  std::vector<float> mean, inverse_scale;  // (D) for kStandardize

  RowTransform row() const { return {kind, mean.data(), inverse_scale.data()}; }
};

TransformKind transform_kind(std::string_view name);  // none, sqrt, l2, standardize; Error else
std::string_view to_string(TransformKind kind);

// kStandardize: mean and 1/deviation of each column over `rows` (a constant column keeps scale 1);
// over those of all ranks, where each has rows of its own.
FeatureTransform fit_transform(TransformKind kind, const FeatureMatrix& features,
                               std::span<const int32_t> rows, Cluster* others = nullptr);

// Its name, and its statistics as transform.*; the transform must outlive the writer's use.
void save_transform(const FeatureTransform& transform, SafetensorsWriter& out);

// Starts to bring the beginning of a row into the cache; the processor follows from there.
void prefetch_row(const FeatureMatrix& features, size_t row);

// Packs rows of a matrix as a batch for the kernels: those at [first, last) in `rows`.
void pack_rows(const FeatureMatrix& features, std::span<const int32_t> rows,
               const FeatureTransform& transform, size_t first, size_t last, float* packed);

}  // namespace spml
