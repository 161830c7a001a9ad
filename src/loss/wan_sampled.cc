// wan-sampled: -log f where o = +1, -log(1-f) where o = -1; each time a row is drawn, -log(1-f) at
// one of its unknown labels, chosen uniformly; 0 elsewhere. The choice is a pure function of (seed,
// step, row).
#define HWY_TARGET_INCLUDE "loss/wan_sampled.cc"
#include "loss/simd-inl.h"

#include <algorithm>

#include "base/rng.h"
#include "loss/entrywise-inl.h"
#include "loss/parameters.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct WanSampled {
  double log_epsilon;
};

// The label sampled for a training row at a step, or L when the row has no unknown label.
size_t sample_unknown(std::span<const int8_t> observed, uint64_t seed, uint64_t step,
                      uint32_t row) {
  const auto unknown = std::count(observed.begin(), observed.end(), int8_t{0});
  if (unknown == 0) return observed.size();
  CounterRng rng(seed, Stream::kLossSampling, step << 32 | row);
  uint64_t skip = rng.below(static_cast<uint64_t>(unknown));
  size_t j = 0;
  while (observed[j] != 0 || skip-- > 0) ++j;
  return j;
}

double wan_sampled_kernel(const LossCall& call, const WanSampled& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  return make_kernel_loss(setup, wan_sampled_kernel, WanSampled{setup.params.at("log_epsilon")});
}

constexpr LossParameter kParams[] = {kLogEpsilon};

}  // namespace

constexpr LossInfo kWanSampled = {
    .name = "wan-sampled",
    .summary = "one unknown label, sampled whenever a row is drawn, is its negative",
    .formula =
        "`-log f` where o = +1, `-log(1-f)` where o = -1 and at one label with o = 0 chosen "
        "uniformly for each row and step, 0 elsewhere; with one positive per row it is `wan` on "
        "average",
    .source = "Cole et al., CVPR 2021",
    .negatives = "`-log(1-f)` in every step; never the label that is sampled",
    .row_need = RowNeed::kRow,
    .params = kParams,
    .make = make};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double wan_sampled_kernel(const LossCall& call, const WanSampled& settings) {
  const double known =
      entrywise(call, settings.log_epsilon, [&](auto d, const auto& f, auto observed) HWY_ATTR {
        const auto one = constant(d, 1);
        return cross_entropy(f, hn::IfThenElseZero(observed.positive, one),
                             hn::IfThenElseZero(observed.negative, one));
      });
  const double sampled =
      run(call, settings.log_epsilon,
          [&](auto, const auto& in, const auto& out, const auto& logit_of) HWY_ATTR {
            using T = std::remove_const_t<std::remove_pointer_t<decltype(in.logits.data)>>;
            const hn::CappedTag<T, 1> d;  // one entry of each row
            const auto [B, L] = std::pair(in.logits.rows, in.logits.cols);
            const double scale = 1.0 / static_cast<double>(in.rows_in_all() * L);
            double sum = 0;
            for (size_t i = 0; i < B; ++i) {
              const auto row = static_cast<uint32_t>(in.rows.empty() ? i : in.rows[i]);
              const size_t j = sample_unknown({in.observed.row(i), L}, in.seed, in.step, row);
              if (j == L) continue;
              const auto entry = cross_entropy(logit_of(d, hn::Set(d, in.logits(i, j))),
                                               hn::Zero(d), constant(d, 1));
              sum += static_cast<double>(hn::GetLane(entry.value));
              if (!out.logits.empty()) {
                out.logits(i, j) = static_cast<T>(scale) * hn::GetLane(entry.dz);
              }
            }
            return sum * scale;
          });
  return known + sampled;
}

SPML_SIMD_END();
SPML_DISPATCH(wan_sampled_kernel, WanSampled);
