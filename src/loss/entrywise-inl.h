// Running a formula over the B * L entries of a batch, for one SIMD target.
#if defined(SPML_ENTRYWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPML_ENTRYWISE_INL_H_
#undef SPML_ENTRYWISE_INL_H_
#else
#define SPML_ENTRYWISE_INL_H_
#endif

#include <cstring>

#include "loss/kernel.h"
#include "loss/loss_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {

// Which lanes are observed positives and observed negatives; the rest are unknown.
template <class D>
struct Observed {
  hn::Mask<D> positive, negative;
};

// Lanes begin .. begin + count of flat arrays: a whole vector, or the last few entries, which go
// through a buffer so that nothing is touched beyond the end.
template <class D>
struct Block {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;

  D d;
  size_t begin, count;

  HWY_INLINE V load(const T* array) const { return load_as(d, array); }

  // A null output means that it is not requested.
  HWY_INLINE void store(V v, T* array) const {
    if (array == nullptr) return;
    if (HWY_LIKELY(whole())) {
      hn::StoreU(v, d, array + begin);
    } else {
      HWY_ALIGN T buffer[hn::MaxLanes(d)];
      hn::Store(v, d, buffer);
      std::memcpy(array + begin, buffer, count * sizeof(T));
    }
  }

  HWY_INLINE Observed<D> observed(const int8_t* array) const {
    const hn::Rebind<int8_t, D> d8;
    const hn::Rebind<int32_t, D> d32;
    const auto labels = hn::PromoteTo(d32, load_as(d8, array));
    if constexpr (sizeof(T) == 4) {
      return masks(d32, labels);
    } else {
      const hn::Rebind<int64_t, D> d64;
      return masks(d64, hn::PromoteTo(d64, labels));
    }
  }

  // Zero in the lanes past the end, for sums.
  HWY_INLINE V keep(V v) const {
    return HWY_LIKELY(whole()) ? v : hn::IfThenElseZero(hn::FirstN(d, count), v);
  }

 private:
  HWY_INLINE bool whole() const { return count >= hn::Lanes(d); }

  template <class DX>
  HWY_INLINE hn::Vec<DX> load_as(DX dx, const hn::TFromD<DX>* array) const {
    if (HWY_LIKELY(whole())) return hn::LoadU(dx, array + begin);
    HWY_ALIGN hn::TFromD<DX> buffer[hn::MaxLanes(dx)] = {};
    std::memcpy(buffer, array + begin, count * sizeof(hn::TFromD<DX>));
    return hn::Load(dx, buffer);
  }

  template <class DI>
  HWY_INLINE Observed<D> masks(DI di, hn::Vec<DI> labels) const {
    const auto zero = hn::Zero(di);
    return {hn::RebindMask(d, hn::Gt(labels, zero)), hn::RebindMask(d, hn::Lt(labels, zero))};
  }
};

// body(block) over n entries.
template <class D, class Body>
HWY_INLINE void for_each_block(D d, size_t n, const Body& body) {
  const size_t N = hn::Lanes(d);
  for (size_t i = 0; i < n; i += N) body(Block<D>{d, i, HWY_MIN(N, n - i)});
}

// One precision and one kind of logarithm; a function of its own, which compiles far faster.
template <class D, class Call, class Logs, class Body>
HWY_NOINLINE double run_one(D d, const Call& call, const Logs& logit_of, const Body& body) {
  return body(d, call.in, call.out, logit_of);
}

// body(d, in, out, logit_of) in the call's precision; logit_of(d, z) gives a Logit.
template <class Body>
HWY_INLINE double run(const LossCall& call, ExactLogs logit_of, const Body& body) {
  if (const auto* single = std::get_if<CallOf<float>>(&call)) {
    return run_one(hn::ScalableTag<float>(), *single, logit_of, body);
  }
  return run_one(hn::ScalableTag<double>(), std::get<CallOf<double>>(call), logit_of, body);
}

// The same with log(p + log_epsilon) where that is above 0: only for losses with that parameter,
// because it is twice the code.
template <class Body>
HWY_INLINE double run(const LossCall& call, double log_epsilon, const Body& body) {
  if (log_epsilon <= 0) return run(call, ExactLogs(), body);
  const EpsilonLogs logit_of = {log_epsilon};
  if (const auto* single = std::get_if<CallOf<float>>(&call)) {
    return run_one(hn::ScalableTag<float>(), *single, logit_of, body);
  }
  return run_one(hn::ScalableTag<double>(), std::get<CallOf<double>>(call), logit_of, body);
}

// The mean over entries of formula(d, block, in, logit_of, Logit) -> EntryLoss. Logs is ExactLogs,
// or a double: the parameter log_epsilon. A formula holds its settings by value: the compiler then
// knows that storing gradients does not change them.
template <class Logs, class Formula>
HWY_INLINE double entry_mean(const LossCall& call, Logs logs, Formula formula) {
  return run(
      call, logs, [=](auto d, const auto& in, const auto& out, const auto& logit_of) HWY_ATTR {
        const double scale = 1.0 / static_cast<double>(in.rows_in_all() * in.labels_in_all());
        const auto vscale = constant(d, scale);
        Sum sum(d);
        for_each_block(d, in.logits.size(), [&](auto block) HWY_ATTR {
          const auto logit = logit_of(d, block.load(in.logits.data));
          const auto entry = formula(d, block, in, logit_of, logit);
          sum.add(block.keep(entry.value));
          block.store(hn::Mul(entry.dz, vscale), out.logits.data);
        });
        return sum.total() * scale;
      });
}

// For formula(d, Logit, Observed).
template <class Logs, class Formula>
HWY_INLINE double entrywise(const LossCall& call, Logs logs, Formula formula) {
  return entry_mean(call, logs,
                    [=](auto d, const auto& block, const auto& in, const auto&, const auto& logit)
                        HWY_ATTR { return formula(d, logit, block.observed(in.observed.data)); });
}

// For formula(d, Logit, Logit under a stop-gradient, Observed).
template <class Logs, class Formula>
HWY_INLINE double entrywise_frozen(const LossCall& call, Logs logs, Formula formula) {
  return entry_mean(call, logs,
                    [=](auto d, const auto& block, const auto& in, const auto& logit_of,
                        const auto& logit) HWY_ATTR {
                      auto frozen = logit;
                      if (!in.frozen_logits.empty()) {
                        frozen = logit_of(d, block.load(in.frozen_logits.data));
                      }
                      return formula(d, logit, frozen, block.observed(in.observed.data));
                    });
}

// For formula(d, Logit, Observed, soft label); the soft label is negative where there is none.
template <class Logs, class Formula>
HWY_INLINE double entrywise_soft(const LossCall& call, Logs logs, Formula formula) {
  return entry_mean(call, logs,
                    [=](auto d, const auto& block, const auto& in, const auto&, const auto& logit)
                        HWY_ATTR {
                          auto soft = constant(d, -1);
                          if (!in.soft_labels.empty()) soft = block.load(in.soft_labels.data);
                          return formula(d, logit, block.observed(in.observed.data), soft);
                        });
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
