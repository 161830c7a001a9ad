// The regulariser that epr and role share: lambda * ((khat - k)/L)^2, where khat is the batch's
// mean number of predicted positives, sum of p / B.
#if defined(SPML_EXPECTED_POSITIVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPML_EXPECTED_POSITIVES_INL_H_
#undef SPML_EXPECTED_POSITIVES_INL_H_
#else
#define SPML_EXPECTED_POSITIVES_INL_H_
#endif

#include "loss/entrywise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {

struct Regulariser {
  double value;
  double slope;  // its derivative with respect to a logit is slope * p(1-p)
};

inline Regulariser expected_positives(double sum_p, size_t B, size_t L, double k, double lambda) {
  const double labels = static_cast<double>(L), rows = static_cast<double>(B);
  const double excess = (sum_p / rows - k) / labels;
  return {lambda * excess * excess, 2 * lambda * excess / (rows * labels)};
}

// gradient += slope * derivative, over n entries. A null gradient means that it is not requested.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void add_scaled(D d, size_t n, double slope, const T* derivative, T* gradient) {
  if (gradient == nullptr) return;
  const auto vslope = constant(d, slope);
  for_each_block(d, n, [&](auto block) HWY_ATTR {
    block.store(hn::MulAdd(vslope, block.load(derivative), block.load(gradient)), gradient);
  });
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
