#include "base/sigmoid.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/sigmoid.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void sigmoid_all(float* values, size_t n) {
  const auto sigmoid = [](auto d, auto z) {
    const auto one = hn::Set(d, 1.0f);
    // Above 88 exp overflows; the result is 0 long before.
    const auto e = hn::Exp(d, hn::Min(hn::Neg(z), hn::Set(d, 88.0f)));
    return hn::Div(one, hn::Add(one, e));
  };
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(sigmoid(d, hn::LoadU(d, values + i)), d, values + i);
  }
  for (; i < n; ++i) hn::StoreU(sigmoid(d1, hn::LoadU(d1, values + i)), d1, values + i);
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {

HWY_EXPORT(sigmoid_all);

void sigmoid_in_place(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(sigmoid_all)(values.data(), values.size());
}

}  // namespace spml
#endif  // HWY_ONCE
