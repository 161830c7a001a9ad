// logistic, squared-hinge: what linear classifiers are usually solved for with, one label at a
// time. They take no steps: src/convex walks to the minimum.
#define HWY_TARGET_INCLUDE "loss/margin.cc"
#include "loss/simd-inl.h"

#include "loss/entrywise-inl.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Margin {
  double unknown;  // the weight of an unknown label
};

double logistic_kernel(const LossCall& call, const Margin& settings);
double squared_hinge_kernel(const LossCall& call, const Margin& settings);

std::unique_ptr<const Loss> make_logistic(const LossSetup& setup) {
  return make_kernel_loss(setup, logistic_kernel, Margin{setup.params.at("gamma")});
}

std::unique_ptr<const Loss> make_squared_hinge(const LossSetup& setup) {
  return make_kernel_loss(setup, squared_hinge_kernel, Margin{setup.params.at("gamma")});
}

constexpr LossParameter kParams[] = {
    {.name = "C",
     .default_value = 1,
     .min = 1e-9,
     .max = 1e9,
     .help = "weight of a linear classifier's summed loss against half its squared weights"},
    {.name = "gamma", .default_value = 1, .help = "weight of an assumed negative"}};

constexpr std::string_view kSource =
    "Fan et al., LIBLINEAR: A Library for Large Linear Classification, JMLR 2008";

}  // namespace

constexpr LossInfo kLogistic = {
    .name = "logistic",
    .summary = "logistic regression, one label against the rest, solved to convergence",
    .formula =
        "`-log f` where o = +1, `-gamma log(1-f)` where o = 0, `-log(1-f)` where o = -1. A "
        "linear classifier takes no steps: for each label `|w|^2/2 + C` times the sum over "
        "rows is minimised, with no penalty on the bias",
    .source = kSource,
    .negatives = "`-log(1-f)`, at full weight",
    .closed_form = true,
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make_logistic};

constexpr LossInfo kSquaredHinge = {
    .name = "squared-hinge",
    .summary = "linear support vector machine, one label against the rest, solved to convergence",
    .formula =
        "`max(0, 1-z)^2` where o = +1, `gamma max(0, 1+z)^2` where o = 0, `max(0, 1+z)^2` "
        "where o = -1 (beyond 100 its tangent). A linear classifier takes no steps: for each label "
        "`|w|^2/2 + C` "
        "times the sum over rows is minimised, with no penalty on the bias",
    .source = kSource,
    .negatives = "`max(0, 1+z)^2`, at full weight",
    .closed_form = true,
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make_squared_hinge};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double logistic_kernel(const LossCall& call, const Margin& settings) {
  return entrywise(call, ExactLogs(), [s = settings](auto d, const auto& f, auto o) HWY_ATTR {
    const auto known = hn::IfThenElse(o.negative, constant(d, 1), constant(d, s.unknown));
    return cross_entropy(f, hn::IfThenElseZero(o.positive, constant(d, 1)),
                         hn::IfThenZeroElse(o.positive, known));
  });
}

double squared_hinge_kernel(const LossCall& call, const Margin& settings) {
  return entrywise(call, ExactLogs(), [s = settings](auto d, const auto& f, auto o) HWY_ATTR {
    const auto sign = hn::IfThenElse(o.positive, constant(d, 1), constant(d, -1));
    const auto known = hn::Or(o.positive, o.negative);
    const auto weight = hn::IfThenElse(known, constant(d, 1), constant(d, s.unknown));
    const auto short_of = hn::Max(hn::Zero(d), hn::NegMulAdd(sign, f.z, constant(d, 1)));
    const auto slope = hn::Min(short_of, constant(d, 100));
    const auto weighted = hn::Mul(weight, slope);
    return EntryLoss{hn::Mul(weighted, hn::Sub(hn::Add(short_of, short_of), slope)),
                     hn::Mul(constant(d, -2), hn::Mul(sign, weighted))};
  });
}

SPML_SIMD_END();
SPML_DISPATCH(logistic_kernel, Margin);
SPML_DISPATCH(squared_hinge_kernel, Margin);
