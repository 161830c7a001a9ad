#include "base/fail.h"
#include "linear/features.h"

namespace spml {

TransformKind transform_kind(std::string_view name) {
  for (const TransformKind kind : {TransformKind::kNone, TransformKind::kSqrt, TransformKind::kL2,
                                   TransformKind::kStandardize}) {
    if (to_string(kind) == name) return kind;
  }
  fail_usage("expected a transform of none, sqrt, l2 or standardize, found '{}'", name);
}

std::string_view to_string(TransformKind kind) {
  switch (kind) {
    case TransformKind::kSqrt:
      return "sqrt";
    case TransformKind::kL2:
      return "l2";
    case TransformKind::kStandardize:
      return "standardize";
    case TransformKind::kNone:
      break;
  }
  return "none";
}

}  // namespace spml
