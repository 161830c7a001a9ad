// pr: pairwise ranking. For a positive i, the sum over labels j with o != +1 of
// max(0, 1 - f_i + f_j). Probabilities lie in [0, 1], so the hinge is never cut off, and with
// P positives and M others in a row the double sum is
//   M * sum over positives of (1 - f_i)  +  P * sum over the others of f_j.
// A label known to be absent is paired with one positive more, a certain one (f_i = 1): it adds
// f_j, also in a row without positives.
#define HWY_TARGET_INCLUDE "loss/pr.cc"
#include "loss/simd-inl.h"

#include <algorithm>

#include "loss/entrywise-inl.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Pr {};

double pr_kernel(const LossCall& call, const Pr& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  return make_kernel_loss(setup, pr_kernel, Pr{});
}

}  // namespace

constexpr LossInfo kPr = {
    .name = "pr",
    .summary = "pairwise ranking: the positive's probability above every other label's",
    .formula =
        "for each i with o = +1: the sum over labels j of the row with o != +1 of "
        "`max(0, 1 - f_i + f_j)`; f_j where o = -1",
    .source = "Cole et al., CVPR 2021, appendix",
    .negatives =
        "one pair more than an unknown label, with a certain positive: adds f, also in a row "
        "without positives",
    .row_need = RowNeed::kRow,
    .params = {},
    .make = make};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double pr_kernel(const LossCall& call, const Pr&) {
  return run(
      call, ExactLogs(),
      [&](auto d, const auto& in, const auto& out, const auto& logit_of) HWY_ATTR {
        const auto [B, L] = std::pair(in.logits.rows, in.logits.cols);
        const double scale = 1.0 / static_cast<double>(in.rows_in_all() * L);
        Sum sum(d);
        for (size_t i = 0; i < B; ++i) {
          const int8_t* const labels = in.observed.row(i);
          const auto positives = std::count_if(labels, labels + L, [](int8_t o) { return o > 0; });
          const auto P = constant(d, static_cast<double>(positives));
          const auto M = constant(d, static_cast<double>(L) - static_cast<double>(positives));
          auto* const gradient = out.logits.empty() ? nullptr : out.logits.row(i);
          for_each_block(d, L, [&](auto block) HWY_ATTR {
            const auto f = logit_of(d, block.load(in.logits.row(i)));
            const auto observed = block.observed(labels);
            const auto pairs = hn::IfThenElse(observed.negative, hn::Add(P, constant(d, 1)), P);
            const auto value =
                hn::IfThenElse(observed.positive, hn::Mul(M, f.q), hn::Mul(pairs, f.p));
            const auto df = hn::IfThenElse(observed.positive, hn::Neg(M), pairs);
            sum.add(block.keep(value));
            block.store(hn::Mul(hn::Mul(df, constant(d, scale)), hn::Mul(f.p, f.q)), gradient);
          });
        }
        return sum.total() * scale;
      });
}

SPML_SIMD_END();
SPML_DISPATCH(pr_kernel, Pr);
