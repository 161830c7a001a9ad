// em: -log f where o = +1, -log(1-f) where o = -1; elsewhere the negative entropy,
// alpha (f log f + (1-f) log(1-f)), whose derivative is alpha z f (1-f).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss/em.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include "loss/entrywise-inl.h"
#include "loss/registry.h"

#ifndef SPML_EM_ONCE
#define SPML_EM_ONCE
namespace spml {
namespace {

struct Em {
  double alpha;
};

}  // namespace
}  // namespace spml
#endif

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace {

double em_kernel(const LossCall& call, const Em& settings) {
  const double exact_logs = 0;
  return entrywise(call, exact_logs, [s = settings](auto d, const auto& f, auto o) HWY_ATTR {
    const auto alpha = constant(d, s.alpha), one = constant(d, 1);
    const auto minus_entropy = hn::MulAdd(f.p, f.log_p, hn::Mul(f.q, f.log_q));
    const auto slope = hn::Mul(f.z, hn::Mul(f.p, f.q));
    const auto known =
        cross_entropy(f, hn::IfThenElseZero(o.positive, one), hn::IfThenElseZero(o.negative, one));
    return choose(hn::Or(o.positive, o.negative), known,
                  EntryLoss{hn::Mul(alpha, minus_entropy), hn::Mul(alpha, slope)});
  });
}

}  // namespace
}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {
namespace {

HWY_EXPORT(em_kernel);

double evaluate(const LossCall& call, const Em& settings) {
  return HWY_DYNAMIC_DISPATCH(em_kernel)(call, settings);
}

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  return make_kernel_loss(setup, evaluate, Em{setup.params.at("alpha")});
}

constexpr LossParameter kParams[] = {
    {.name = "alpha", .default_value = 0.2, .help = "weight of the unknown labels' entropy"}};

}  // namespace

constexpr LossInfo kEm = {
    .name = "em",
    .summary = "entropy maximisation: unknown labels are pulled towards f = 1/2",
    .formula =
        "`-log f` where o = +1, `-log(1-f)` where o = -1, "
        "`alpha (f log f + (1-f) log(1-f))` elsewhere",
    .source = "Zhou et al., Acknowledging the Unknown, ECCV 2022",
    .params = kParams,
    .make = make};

}  // namespace spml
#endif  // HWY_ONCE
