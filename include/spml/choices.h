// Choices that a setting names.
#pragma once

#include <cstddef>

namespace spml {

// What is done to a feature row before the linear layer sees it. kSqrt is signed; kStandardize
// takes mean and deviation of the training rows, which are kept with the model.
enum class TransformKind { kNone, kSqrt, kL2, kStandardize };
// What the best epoch is chosen on: full labels, or the observed ones with unknown as negative.
enum class Select { kClean, kObserved };
// How label estimates are represented, for losses that have them (role and role+X).
enum class EstimatorKind { kTable, kFactored, kNetwork };

// kTable: N x L numbers. The others have memory that does not grow with N x L.
struct EstimatorChoice {
  EstimatorKind kind = EstimatorKind::kTable;
  size_t rank = 16;    // kFactored
  size_t hidden = 64;  // kNetwork
};

// What happens to an output folder that has something in it.
enum class Existing { kRefuse, kResume, kOverwrite };

}  // namespace spml
