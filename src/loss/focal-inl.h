// The focal term, for one SIMD target.
#if defined(SPML_FOCAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPML_FOCAL_INL_H_
#undef SPML_FOCAL_INL_H_
#else
#define SPML_FOCAL_INL_H_
#endif

#include "loss/entrywise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {

// The same entry seen from the negative side: p and 1 - p change places. Derivatives stay with
// respect to z.
template <class V>
HWY_INLINE Logit<V> mirrored(const Logit<V>& f) {
  return {hn::Neg(f.z), f.q, f.p, f.log_q, f.log_p, f.dlog_q, f.dlog_p};
}

// x^gamma from log x <= 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V power(D d, V log_x, V gamma) {
  return hn::Exp(d, hn::Mul(gamma, log_x));
}

// -(1-p)^gamma log p, with exact logarithms. Of a mirrored logit: -p^gamma log(1-p).
template <class D, class V = hn::Vec<D>>
HWY_INLINE EntryLoss<V> focal(D d, const Logit<V>& f, V gamma) {
  const V weight = power(d, f.log_q, gamma);
  // d weight / dz = gamma weight dlog_q, where dlog_q = -p (or +(1-p), mirrored).
  const V slope = hn::MulAdd(hn::Mul(gamma, f.dlog_q), f.log_p, f.dlog_p);
  return {hn::Neg(hn::Mul(weight, f.log_p)), hn::Neg(hn::Mul(weight, slope))};
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
