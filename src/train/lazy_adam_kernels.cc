#include "train/lazy_adam_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/lazy_adam_kernels.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "train/adam-inl.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// out[j] = entry(u[j], m[j], v[j]), a vector at a time and the rest one by one.
template <class Entry>
HWY_INLINE void each_entry(const float* HWY_RESTRICT u, const float* HWY_RESTRICT m,
                           const float* HWY_RESTRICT v, size_t n, float* HWY_RESTRICT out,
                           const Entry& entry) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  size_t j = 0;
  for (; j + hn::Lanes(d) <= n; j += hn::Lanes(d)) {
    hn::StoreU(entry(d, hn::LoadU(d, u + j), hn::LoadU(d, m + j), hn::LoadU(d, v + j)), d, out + j);
  }
  for (; j < n; ++j) {
    hn::StoreU(entry(d1, hn::LoadU(d1, u + j), hn::LoadU(d1, m + j), hn::LoadU(d1, v + j)), d1,
               out + j);
  }
}

void catch_up(const CatchUp& k, const float* HWY_RESTRICT u, const float* HWY_RESTRICT m,
              const float* HWY_RESTRICT v, size_t n, float* HWY_RESTRICT out) {
  const auto entry = [&k](auto d, auto vu, auto vm, auto vv) {
    const auto one = hn::Set(d, 1.0f);
    const auto moved = hn::Gt(vv, hn::Zero(d));
    const auto inverse_root = hn::Div(one, hn::Sqrt(hn::IfThenElse(moved, vv, one)));
    const auto x = hn::Mul(hn::Set(d, k.eps), inverse_root);
    const auto f = hn::Div(one, hn::MulAdd(x, hn::Set(d, k.center), one));
    const auto xf = hn::Mul(x, f);
    const auto second = hn::Mul(hn::Mul(xf, xf), hn::Mul(f, hn::Set(d, k.variance)));
    const auto size =
        hn::Mul(hn::Mul(hn::Set(d, k.scale), hn::Mul(vm, inverse_root)), hn::Add(f, second));
    return hn::Sub(vu, hn::IfThenElseZero(moved, size));
  };
  each_entry(u, m, v, n, out, entry);
}

void catch_up_by_terms(std::span<const DecayTerm> terms, float lr, float eps,
                       const float* HWY_RESTRICT u, const float* HWY_RESTRICT m,
                       const float* HWY_RESTRICT v, size_t n, float* HWY_RESTRICT out) {
  const auto entry = [&](auto d, auto vu, auto vm, auto vv) {
    const auto root = hn::Sqrt(vv);
    auto sum = hn::Zero(d);
    for (const DecayTerm& term : terms) {
      const auto below = hn::MulAdd(root, hn::Set(d, term.inverse_c), hn::Set(d, eps));
      sum = hn::Add(sum, hn::Div(hn::Set(d, term.a), below));
    }
    return hn::NegMulAdd(hn::Mul(hn::Set(d, lr), vm), sum, vu);
  };
  each_entry(u, m, v, n, out, entry);
}

void adam(const AdamStep& k, const float* HWY_RESTRICT g, float* HWY_RESTRICT u,
          float* HWY_RESTRICT m, float* HWY_RESTRICT v, size_t n) {
  const auto step = [&k](auto d, auto vg, float* pu, float* pm, float* pv) HWY_ATTR {
    auto vu = hn::LoadU(d, pu), vm = hn::LoadU(d, pm), vv = hn::LoadU(d, pv);
    adam_update<RoundNew>(d, k, vg, vu, vm, vv);
    hn::StoreU(vu, d, pu);
    hn::StoreU(vm, d, pm);
    hn::StoreU(vv, d, pv);
  };
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  size_t j = 0;
  for (; j + hn::Lanes(d) <= n; j += hn::Lanes(d)) {
    step(d, hn::LoadU(d, g + j), u + j, m + j, v + j);
  }
  for (; j < n; ++j) step(d1, hn::LoadU(d1, g + j), u + j, m + j, v + j);
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {

HWY_EXPORT(catch_up);
HWY_EXPORT(catch_up_by_terms);
HWY_EXPORT(adam);

void catch_up_row(const CatchUp& constants, const float* u, const float* m, const float* v,
                  size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(catch_up)(constants, u, m, v, n, out);
}

void catch_up_row(std::span<const DecayTerm> terms, float lr, float eps, const float* u,
                  const float* m, const float* v, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(catch_up_by_terms)(terms, lr, eps, u, m, v, n, out);
}

void adam_row(const AdamStep& constants, const float* gradient, float* u, float* m, float* v,
              size_t n) {
  HWY_DYNAMIC_DISPATCH(adam)(constants, gradient, u, m, v, n);
}

}  // namespace spml
#endif  // HWY_ONCE
