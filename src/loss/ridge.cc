// ridge: squared errors of the score s = z/10 + 1/2, which is 0 where a label is absent and 1 where
// it is there: (s-1)^2 where o = +1, s^2 where o = -1, s^2/2 elsewhere. Beyond an error of 10 it
// grows as its tangent, so that it is finite for every logit.
// Linear classifiers take no steps: src/ridge has the solution in closed form.
#define HWY_TARGET_INCLUDE "loss/ridge.cc"
#include "loss/simd-inl.h"

#include "loss/entrywise-inl.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Ridge {};

double ridge_kernel(const LossCall& call, const Ridge& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  return make_kernel_loss(setup, ridge_kernel, Ridge{});
}

constexpr LossParameter kParams[] = {
    {.name = "strength",
     .max = 1e6,
     .help = "penalty on the weights of a linear classifier, in units of the features' mean "
             "variance; 0: chosen by how rows are ranked that are left out"}};

}  // namespace

constexpr LossInfo kRidge = {
    .name = "ridge",
    .summary = "least squares with a penalty on the weights, solved in closed form",
    .formula =
        "with the score s = z/10 + 1/2: `(s-1)^2` where o = +1, `s^2` where o = -1, `s^2/2` "
        "elsewhere (beyond an error of 10 its tangent). A linear classifier takes no steps; it is "
        "solved for in two rounds. In the first, unknown labels have the target 0; in the second, "
        "their score by the first round fitted without their row, clamped to [0, 1] and scaled "
        "down where it implies more missing labels than k allows",
    .source =
        "Hoerl and Kennard, Ridge Regression, 1970; the two rounds are ours (docs/suggest.md)",
    .negatives = "`s^2`, in closed form a target of 0 in both rounds",
    .needs_k = true,
    .closed_form = true,
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double ridge_kernel(const LossCall& call, const Ridge&) {
  return entrywise(call, ExactLogs(), [](auto d, const auto& f, auto o) HWY_ATTR {
    const auto target = hn::IfThenElseZero(o.positive, constant(d, 1));
    const auto error = hn::Sub(hn::MulAdd(f.z, constant(d, 0.1), constant(d, 0.5)), target);
    const auto most = constant(d, 10);
    const auto slope = hn::Min(hn::Max(error, hn::Neg(most)), most);
    const auto known = hn::Or(o.positive, o.negative);
    const auto weight = hn::IfThenElse(known, constant(d, 1), constant(d, 0.5));
    const auto value = hn::Mul(slope, hn::Sub(hn::Add(error, error), slope));
    return EntryLoss{hn::Mul(weight, value), hn::Mul(weight, hn::Mul(slope, constant(d, 0.2)))};
  });
}

SPML_SIMD_END();
SPML_DISPATCH(ridge_kernel, Ridge);
