// What losses are made of, for one SIMD target. D is a Highway tag of float or double, so every
// formula exists in both precisions. Included once per target (see hwy/foreach_target.h).
#if defined(SPML_LOSS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPML_LOSS_MATH_INL_H_
#undef SPML_LOSS_MATH_INL_H_
#else
#define SPML_LOSS_MATH_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// log(1 + e) for e in [0, 1], to the last digits also where e is tiny: with s = e / (2 + e),
//   log(1 + e) = 2 atanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...),  s^2 <= 1/9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_unit(D d, V e) {
  constexpr int kTerms = sizeof(hn::TFromD<D>) == 4 ? 8 : 18;
  const V s = hn::Div(e, hn::Add(e, constant(d, 2)));
  const V s2 = hn::Mul(s, s);
  V series = constant(d, 2.0 / (2 * kTerms - 1));
  for (int i = kTerms - 1; i > 0; --i) {
    series = hn::MulAdd(series, s2, constant(d, 2.0 / (2 * i - 1)));
  }
  return hn::Mul(series, s);
}

// A logit and what losses need of it. V is a vector.
template <class V>
struct Logit {
  V z;
  V p, q;            // sigmoid(z), and 1 - p computed as sigmoid(-z): exact at both ends
  V log_p, log_q;    // log p, log(1 - p)
  V dlog_p, dlog_q;  // their derivatives with respect to z
};

// The default: finite for every finite z, because nothing larger than 1 is exponentiated.
struct ExactLogs {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Logit<V> operator()(D d, V z) const {
    const V zero = hn::Zero(d), one = constant(d, 1);
    const V e = hn::Exp(d, hn::Neg(hn::Min(hn::Abs(z), constant(d, 1000))));  // exp(-|z|)
    const V larger = hn::Div(one, hn::Add(one, e));                           // sigmoid(|z|)
    const V smaller = hn::Mul(e, larger);                                     // sigmoid(-|z|)
    const auto is_positive = hn::Gt(z, zero);
    const V p = hn::IfThenElse(is_positive, larger, smaller);
    const V q = hn::IfThenElse(is_positive, smaller, larger);
    const V tail = log1p_unit(d, e);
    const V log_p = hn::Sub(hn::Min(z, zero), tail);
    const V log_q = hn::Sub(hn::Min(hn::Neg(z), zero), tail);
    return {z, p, q, log_p, log_q, q, hn::Neg(p)};
  }
};

// log(p + epsilon), as the code released with the paper has it.
struct EpsilonLogs {
  double epsilon;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Logit<V> operator()(D d, V z) const {
    const Logit<V> exact = ExactLogs()(d, z);
    const V p = hn::Add(exact.p, constant(d, epsilon)), q = hn::Add(exact.q, constant(d, epsilon));
    const V slope = hn::Mul(exact.p, exact.q);
    return {z,
            exact.p,
            exact.q,
            hn::Log(d, p),
            hn::Log(d, q),
            hn::Div(slope, p),
            hn::Neg(hn::Div(slope, q))};
  }
};

// Value and derivative of one entry's loss.
template <class V>
struct EntryLoss {
  V value, dz;
};
template <class V>
EntryLoss(V, V) -> EntryLoss<V>;

// -(a log p + b log(1 - p)) for weights a, b.
template <class V>
HWY_INLINE EntryLoss<V> cross_entropy(const Logit<V>& logit, V a, V b) {
  return {hn::Neg(hn::MulAdd(a, logit.log_p, hn::Mul(b, logit.log_q))),
          hn::Neg(hn::MulAdd(a, logit.dlog_p, hn::Mul(b, logit.dlog_q)))};
}

template <class M, class V>
HWY_INLINE EntryLoss<V> choose(M mask, const EntryLoss<V>& yes, const EntryLoss<V>& no) {
  return {hn::IfThenElse(mask, yes.value, no.value), hn::IfThenElse(mask, yes.dz, no.dz)};
}

// Sums vectors of float or double in double.
template <class D, class T = hn::TFromD<D>>
class Sum {
 public:
  explicit Sum(D d) : sum_(hn::Zero(d)) {}
  HWY_INLINE void add(hn::Vec<D> v) { sum_ = hn::Add(sum_, v); }
  HWY_INLINE double total() const { return hn::GetLane(hn::SumOfLanes(D(), sum_)); }

 private:
  hn::Vec<D> sum_;
};

template <class D>
class Sum<D, float> {
#if HWY_TARGET == HWY_SCALAR
  using Wide = hn::Rebind<double, D>;

 public:
  explicit Sum(D) : sum_(Wide()) {}
  HWY_INLINE void add(hn::Vec<D> v) { sum_.add(hn::PromoteTo(Wide(), v)); }
  HWY_INLINE double total() const { return sum_.total(); }

 private:
  Sum<Wide> sum_;
#else
  using Half = hn::Half<D>;
  using Wide = hn::Rebind<double, Half>;

 public:
  explicit Sum(D) : lower_(Wide()), upper_(Wide()) {}
  HWY_INLINE void add(hn::Vec<D> v) {
    lower_.add(hn::PromoteTo(Wide(), hn::LowerHalf(Half(), v)));
    upper_.add(hn::PromoteTo(Wide(), hn::UpperHalf(Half(), v)));
  }
  HWY_INLINE double total() const { return lower_.total() + upper_.total(); }

 private:
  Sum<Wide> lower_, upper_;
#endif
};

template <class D>
Sum(D) -> Sum<D>;

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
