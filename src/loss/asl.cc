// asl: the asymmetric loss. With c = max(f - clip, 0):
//   -(1-f)^gamma_pos log f where o = +1, -c^gamma_neg log(1-c) where o = 0, -log(1-f) where o = -1;
// detached, the powers are weights without a gradient.
#define HWY_TARGET_INCLUDE "loss/asl.cc"
#include "loss/simd-inl.h"

#include <limits>

#include "loss/focal-inl.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Asl {
  double gamma_pos, gamma_neg, clip;
  bool detach;
};

double asl_kernel(const LossCall& call, const Asl& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  const LossParameters& params = setup.params;
  return make_kernel_loss(setup, asl_kernel,
                          Asl{params.at("gamma_pos"), params.at("gamma_neg"), params.at("clip"),
                              params.at("detach") != 0});
}

constexpr LossParameter kParams[] = {
    {.name = "gamma_pos", .default_value = 0, .max = 100, .help = "focusing power of positives"},
    {.name = "gamma_neg",
     .default_value = 4,
     .max = 100,
     .help = "focusing power of unknown labels"},
    {.name = "clip",
     .default_value = 0.05,
     .max = 0.9,
     .help = "unknown labels count from this probability on"},
    {.name = "detach",
     .default_value = 1,
     .max = 1,
     .help = "1: no gradient through the powers, as the authors train; 0: the full derivative"}};

}  // namespace

constexpr LossInfo kAsl = {
    .name = "asl",
    .summary = "asymmetric loss: focal, harder on easy negatives, which are also cut off",
    .formula =
        "`-w log f` with w = (1-f)^gamma_pos where o = +1, `-w log(1-c)` with "
        "c = max(f - clip, 0), w = c^gamma_neg where o = 0, `-log(1-f)` where o = -1; sg(w) for w "
        "unless `detach` is 0",
    .source = "Ridnik et al., Asymmetric Loss for Multi-Label Classification, ICCV 2021",
    .negatives = "`-log(1-f)`, neither weighed down nor cut off",
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

// c = max(f - clip, 0) in the form of a logit: p is c, log_q is log(1 - c), and so on, with
// derivatives with respect to z. Where c = 0 they are those of c towards 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Logit<V> clipped(D d, const Logit<V>& f, double clip) {
  if (clip == 0) return f;
  const V smallest = constant(d, std::numeric_limits<hn::TFromD<D>>::min());
  const V c = hn::Max(hn::Sub(f.p, constant(d, clip)), smallest);
  const V rest = hn::Max(hn::Min(hn::Add(f.q, constant(d, clip)), constant(d, 1)), smallest);
  const V slope = hn::Mul(f.p, f.q);
  return {f.z,
          c,
          rest,
          hn::Log(d, c),
          hn::Log(d, rest),
          hn::Div(slope, c),
          hn::Neg(hn::Div(slope, rest))};
}

double asl_kernel(const LossCall& call, const Asl& settings) {
  return entrywise_frozen(
      call, ExactLogs(),
      [s = settings](auto d, const auto& f, const auto& frozen, auto o) HWY_ATTR {
        const auto positive_power = constant(d, s.gamma_pos);
        const auto negative_power = constant(d, s.gamma_neg);
        const auto side = [&](const auto& logit, const auto& weight_of, auto gamma) HWY_ATTR {
          if (!s.detach) return focal(d, logit, gamma);
          const auto weight = power(d, weight_of.log_q, gamma);
          return cross_entropy(logit, weight, hn::Zero(d));
        };
        const auto c = clipped(d, f, s.clip), frozen_c = clipped(d, frozen, s.clip);
        const auto negative = side(mirrored(c), mirrored(frozen_c), negative_power);
        const auto counts = hn::Gt(f.p, constant(d, s.clip));
        const EntryLoss counted = {hn::IfThenElseZero(counts, negative.value),
                                   hn::IfThenElseZero(counts, negative.dz)};
        const auto known = cross_entropy(f, hn::Zero(d), constant(d, 1));
        return choose(o.positive, side(f, frozen, positive_power),
                      choose(o.negative, known, counted));
      });
}

SPML_SIMD_END();
SPML_DISPATCH(asl_kernel, Asl);
