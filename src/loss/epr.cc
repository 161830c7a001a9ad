// epr: positive_scale * mean[ -log f where o = +1, -log(1-f) where o = -1 ]
//      + lambda * ((khat - k)/L)^2, khat = sum of f over the batch / B.
#define HWY_TARGET_INCLUDE "loss/epr.cc"
#include "loss/simd-inl.h"

#include "loss/expected_positives-inl.h"
#include "loss/parameters.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Epr {
  double k, lambda, positive_scale, log_epsilon;
};

double epr_kernel(const LossCall& call, const Epr& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  const LossParameters& params = setup.params;
  const Epr settings = {setup.k.value(), params.at("lambda"), params.at("positive_scale"),
                        params.at("log_epsilon")};
  return make_kernel_loss(setup, epr_kernel, settings, {.scratch_per_entry = 1});
}

constexpr LossParameter kParams[] = {kLambda, kPositiveScale, kLogEpsilon};

}  // namespace

constexpr LossInfo kEpr = {
    .name = "epr",
    .summary = "expected positive regularisation: positives, and k predicted positives on average",
    .formula =
        "`-positive_scale log f` where o = +1, `-positive_scale log(1-f)` where o = -1, "
        "0 elsewhere; plus `lambda ((khat - k)/L)^2` for the batch, khat = sum of f / B",
    .source = "Cole et al., CVPR 2021",
    .negatives = "`-positive_scale log(1-f)`, the weight of an observed positive",
    .needs_k = true,
    .row_need = RowNeed::kSums,
    .params = kParams,
    .make = make};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double epr_kernel(const LossCall& call, const Epr& settings) {
  return run(call, settings.log_epsilon,
             [&](auto d, const auto& in, const auto& out, const auto& logit_of) HWY_ATTR {
               const size_t B = in.rows_in_all(), L = in.labels_in_all();
               const size_t n = in.logits.size();
               const double scale = 1.0 / static_cast<double>(B * L);
               const auto vscale = constant(d, scale);
               const auto weight = constant(d, settings.positive_scale);
               auto* const slopes =
                   out.logits.empty() ? nullptr : out.scratch.data();  // p(1-p), (B, L)

               Sum loss(d), sum_p(d);
               for_each_block(d, n, [&](auto block) HWY_ATTR {
                 const auto f = logit_of(d, block.load(in.logits.data));
                 const auto observed = block.observed(in.observed.data);
                 const auto entry = cross_entropy(f, hn::IfThenElseZero(observed.positive, weight),
                                                  hn::IfThenElseZero(observed.negative, weight));
                 loss.add(block.keep(entry.value));
                 sum_p.add(block.keep(f.p));
                 block.store(hn::Mul(entry.dz, vscale), out.logits.data);
                 block.store(hn::Mul(f.p, f.q), slopes);
               });

               const auto regulariser = [&](double sum) {
                 return expected_positives(sum, B, L, settings.k, settings.lambda);
               };
               double total = sum_p.total();
               if (in.others != nullptr) {
                 in.others->sum({&total, 1});
                 sum_over_processes(
                     d, in, in.logits, logit_of, [&](double sum) { return regulariser(sum).slope; },
                     total);
               }
               const Regulariser reg = regulariser(total);
               add_scaled(d, n, reg.slope, slopes, out.logits.data);
               if (in.others != nullptr) return loss.total() * scale + reg.value * share_of(in);
               return loss.total() * scale + reg.value;
             });
}

SPML_SIMD_END();
SPML_DISPATCH(epr_kernel, Epr);
