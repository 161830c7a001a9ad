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

// The sum of the probabilities of the whole batch, (B, L) logits, in the order of a process that
// has them all.
template <class D, class Logs>
HWY_NOINLINE double sum_of_probabilities(D d, View<const float> logits, const Logs& logit_of) {
  Sum sum(d);
  for_each_block(d, logits.size(), [&](auto block) HWY_ATTR {
    sum.add(block.keep(logit_of(d, block.load(logits.data)).p));
  });
  return sum.total();
}

// Turns the sum of this process's probabilities into that of all processes, where others have the
// other labels, such that slope_of(sum), as a float, is what a process with all labels would get.
// The order in which a sum is taken changes it by `doubt` at most: each of a lane's additions by
// half a unit in the last place, there and here. Where that does not change the slope, 8 bytes a
// process were enough; else, in a few steps of a hundred, the logits are brought together.
template <class D, class In, class Logits, class Logs, class Slope>
HWY_INLINE void sum_over_processes(D d, const In& in, const Logits& logits, const Logs& logit_of,
                                   const Slope& slope_of, double& sum) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    if (!in.others->to_the_last_bit()) return;
    const double n = static_cast<double>(in.logits.rows * in.others->labels());
    const double doubt = (n / static_cast<double>(hn::Lanes(d)) + 1024) * 0x1.0p-52;
    const auto low = static_cast<float>(slope_of(sum * (1 - doubt)));
    const auto high = static_cast<float>(slope_of(sum * (1 + doubt)));
    if (low != high) sum = sum_of_probabilities(d, in.others->whole(logits), logit_of);
  }
}

// This process's share of what all processes add up to.
template <class In>
HWY_INLINE double share_of(const In& in) {
  return static_cast<double>(in.logits.rows * in.logits.cols) /
         static_cast<double>(in.rows_in_all() * in.labels_in_all());
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
