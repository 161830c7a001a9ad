// The losses that weigh easy entries down by a power of the probability: focal, hill, splc.
#define HWY_TARGET_INCLUDE "loss/focal.cc"
#include "loss/simd-inl.h"

#include "loss/focal-inl.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

// Observed positives are judged at z - margin.
struct Focal {
  double gamma, margin;
};

struct Hill {
  Focal focal;
  double lam;
};

struct Splc {
  Focal focal;
  double tau;
};

double focal_kernel(const LossCall& call, const Focal& settings);
double hill_kernel(const LossCall& call, const Hill& settings);
double splc_kernel(const LossCall& call, const Splc& settings);

double evaluate_splc(const LossCall& call, const Splc& settings) {
  const int epoch = std::visit([](const auto& typed) { return typed.in.epoch; }, call);
  const double never = 1;  // no probability is above it
  return splc_kernel(call, {settings.focal, epoch < 2 ? never : settings.tau});
}

std::unique_ptr<const Loss> make_focal(const LossSetup& setup) {
  return make_kernel_loss(setup, focal_kernel, Focal{setup.params.at("gamma"), 0});
}

Focal with_margin(const LossParameters& params) {
  return {params.at("gamma"), params.at("margin")};
}

std::unique_ptr<const Loss> make_hill(const LossSetup& setup) {
  return make_kernel_loss(setup, hill_kernel,
                          Hill{with_margin(setup.params), setup.params.at("lam")});
}

std::unique_ptr<const Loss> make_splc(const LossSetup& setup) {
  return make_kernel_loss(setup, evaluate_splc,
                          Splc{with_margin(setup.params), setup.params.at("tau")});
}

constexpr LossParameter kGamma = {.name = "gamma",
                                  .default_value = 2,
                                  .max = 100,
                                  .help = "focusing power; 0 is plain cross-entropy"};

constexpr LossParameter kMargin = {
    .name = "margin",
    .default_value = 1,
    .max = 100,
    .help = "taken off the logit of observed positives before they are judged"};

constexpr LossParameter kFocalParams[] = {kGamma};

constexpr LossParameter kHillParams[] = {
    {.name = "lam", .default_value = 1.5, .help = "height of the hill at unknown labels"},
    kMargin,
    kGamma};

constexpr LossParameter kSplcParams[] = {
    {.name = "tau",
     .default_value = 0.6,
     .max = 1,
     .help = "an unknown label with f above this is taken for a positive; 1 is never"},
    kMargin,
    kGamma};

constexpr std::string_view kHillPaper =
    "Zhang et al., Simple and Robust Loss Design for Multi-Label Learning with Missing Labels, "
    "arXiv 2021";

}  // namespace

constexpr LossInfo kFocal = {
    .name = "focal",
    .summary = "focal loss: an with easy entries weighed down",
    .formula =
        "`-(1-f)^gamma log f` where o = +1, `-f^gamma log(1-f)` where o = 0, "
        "`-log(1-f)` where o = -1",
    .source = "Lin et al., Focal Loss for Dense Object Detection, ICCV 2017",
    .negatives = "`-log(1-f)`, not weighed down",
    .row_need = RowNeed::kNothing,
    .params = kFocalParams,
    .make = make_focal};

constexpr LossInfo kHill = {
    .name = "hill",
    .summary = "hill loss: confident unknown labels are left alone, as likely positives",
    .formula =
        "`-(1-g)^gamma log g` with g = sigmoid(z - margin) where o = +1, "
        "`-f^gamma log(1-f)` where o = -1, `(lam - f) f^2` elsewhere",
    .source = kHillPaper,
    .negatives = "the focal loss `-f^gamma log(1-f)`, which grows with f, in place of the hill",
    .row_need = RowNeed::kNothing,
    .params = kHillParams,
    .make = make_hill};

constexpr LossInfo kSplc = {
    .name = "splc",
    .summary = "self-paced loss correction: confident unknown labels are positives for the step",
    .formula =
        "`-(1-g)^gamma log g` with g = sigmoid(z - margin) where o = +1; from the second epoch "
        "`-(1-f)^gamma log f` where o = 0 and sg(f) > tau; `-f^gamma log(1-f)` elsewhere",
    .source = kHillPaper,
    .negatives = "`-f^gamma log(1-f)`; never taken for a positive",
    .row_need = RowNeed::kNothing,
    .params = kSplcParams,
    .make = make_splc};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

template <class D, class V = hn::Vec<D>>
HWY_INLINE EntryLoss<V> positive_term(D d, const Logit<V>& f, const Focal& settings) {
  const V gamma = constant(d, settings.gamma);
  if (settings.margin == 0) return focal(d, f, gamma);
  return focal(d, ExactLogs()(d, hn::Sub(f.z, constant(d, settings.margin))), gamma);
}

double focal_kernel(const LossCall& call, const Focal& settings) {
  return entrywise(call, ExactLogs(), [s = settings](auto d, const auto& f, auto o) HWY_ATTR {
    const auto unknown = focal(d, mirrored(f), constant(d, s.gamma));
    const auto negative = cross_entropy(f, hn::Zero(d), constant(d, 1));
    return choose(o.positive, positive_term(d, f, s), choose(o.negative, negative, unknown));
  });
}

double hill_kernel(const LossCall& call, const Hill& settings) {
  return entrywise(call, ExactLogs(), [s = settings](auto d, const auto& f, auto o) HWY_ATTR {
    // (lam - p) p^2, whose derivative by p is 2 lam p - 3 p^2.
    const auto lam = constant(d, s.lam), p2 = hn::Mul(f.p, f.p);
    const auto dp = hn::Sub(hn::Mul(hn::Add(lam, lam), f.p), hn::Mul(constant(d, 3), p2));
    const EntryLoss unknown = {hn::Mul(hn::Sub(lam, f.p), p2), hn::Mul(dp, hn::Mul(f.p, f.q))};
    const auto negative = focal(d, mirrored(f), constant(d, s.focal.gamma));
    return choose(o.positive, positive_term(d, f, s.focal), choose(o.negative, negative, unknown));
  });
}

double splc_kernel(const LossCall& call, const Splc& settings) {
  return entrywise_frozen(
      call, ExactLogs(),
      [s = settings](auto d, const auto& f, const auto& frozen, auto o) HWY_ATTR {
        const auto gamma = constant(d, s.focal.gamma);
        const auto confident = hn::AndNot(o.negative, hn::Gt(frozen.p, constant(d, s.tau)));
        return choose(o.positive, positive_term(d, f, s.focal),
                      choose(confident, focal(d, f, gamma), focal(d, mirrored(f), gamma)));
      });
}

SPML_SIMD_END();
SPML_DISPATCH(focal_kernel, Focal);
SPML_DISPATCH(hill_kernel, Hill);
SPML_DISPATCH(splc_kernel, Splc);
