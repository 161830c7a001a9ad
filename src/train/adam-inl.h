// Adam's rule (adam.h) for a SIMD vector of parameters, for one instruction set.
#if defined(SPML_ADAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPML_ADAM_INL_H_
#undef SPML_ADAM_INL_H_
#else
#define SPML_ADAM_INL_H_
#endif

#include <hwy/highway.h>

#include "train/adam.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// beta x + rest y: of the two products one is rounded, the other is not. Which one it is shows in
// the last bit, so in the bytes of models that users compare with those of earlier versions.
struct RoundOld {  // the weights
  template <class V>
  static HWY_INLINE V moment(V beta, V m, V rest, V g) {
    return hn::MulAdd(rest, g, hn::Mul(beta, m));
  }
  template <class V>
  static HWY_INLINE V square(V beta, V v, V rest, V g) {
    return hn::MulAdd(hn::Mul(rest, g), g, hn::Mul(beta, v));
  }
};
struct RoundNew {  // the label estimates
  template <class V>
  static HWY_INLINE V moment(V beta, V m, V rest, V g) {
    return hn::MulAdd(m, beta, hn::Mul(g, rest));
  }
  template <class V>
  static HWY_INLINE V square(V beta, V v, V rest, V g) {
    return hn::MulAdd(v, beta, hn::Mul(hn::Mul(g, g), rest));
  }
};

// g has weight decay in it, where there is any.
template <class Round, class D, class V = hn::Vec<D>>
HWY_INLINE void adam_update(D d, const AdamStep& k, V g, V& w, V& m, V& v) {
  m = Round::moment(hn::Set(d, k.beta1), m, hn::Set(d, k.one_minus_beta1), g);
  v = Round::square(hn::Set(d, k.beta2), v, hn::Set(d, k.one_minus_beta2), g);
  const V size = hn::Div(m, hn::Add(hn::Sqrt(v), hn::Set(d, k.eps)));
  w = hn::NegMulAdd(hn::Set(d, k.rate), size, w);
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
