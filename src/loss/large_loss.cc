// Large-loss rejection and correction: an, except that from the second epoch the unknown labels
// with the k largest losses of the batch are ignored (ll-r), taken for positives in this step
// (ll-ct) or from now on (ll-cp). k = ceil(B L (t-1) delta/100), for ll-cp ceil(B L delta/100).
// -log(1-f) grows with z, so the largest losses are the largest logits: ranking those is exact and
// the same in every precision.
#define HWY_TARGET_INCLUDE "loss/large_loss.cc"
#include "loss/simd-inl.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "loss/entrywise-inl.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct LargeLoss {
  double delta;            // in percent
  double positive_weight;  // of a label whose loss is large: 0 ignores it, 1 corrects it
  bool permanent = false;  // corrected labels stay corrected
};

// Unknown labels whose logit is at least `threshold` have a large loss.
struct LargeLossStep {
  double threshold, positive_weight;
};

double large_loss_kernel(const LossCall& call, const LargeLossStep& settings);

template <class T>
const T* judged(const BasicLossInput<T>& in) {
  return in.frozen_logits.empty() ? in.logits.data : in.frozen_logits.data;
}

// The k-th largest logit of the unknown labels; infinity when there is none.
template <class T>
double large_loss_threshold(const CallOf<T>& call, const LargeLoss& settings) {
  const auto& [in, out] = call;
  const double none = std::numeric_limits<double>::infinity();
  const int times = settings.permanent ? std::min(in.epoch - 1, 1) : in.epoch - 1;
  const double k = std::ceil(static_cast<double>(in.logits.size()) * times * settings.delta / 100);
  if (!(k >= 1)) return none;

  const T* const z = judged(in);
  T* const unknown = out.scratch.data();
  T* end = unknown;
  for (size_t i = 0; i < in.logits.size(); ++i) {
    if (in.observed.data[i] == 0 && !std::isnan(z[i])) *end++ = z[i];  // NaN cannot be ranked
  }
  if (end == unknown) return none;
  T* const kth = unknown + static_cast<ptrdiff_t>(std::min<double>(k, end - unknown)) - 1;
  std::nth_element(unknown, kth, end, std::greater<T>());
  return *kth;
}

template <class T>
void relabel(const CallOf<T>& call, double threshold) {
  const auto& [in, out] = call;
  if (out.relabelled.empty()) return;
  for (size_t i = 0; i < in.logits.size(); ++i) {
    if (in.observed.data[i] == 0 && judged(in)[i] >= threshold) out.relabelled.data[i] = 1;
  }
}

double evaluate(const LossCall& call, const LargeLoss& settings) {
  const double threshold =
      std::visit([&](const auto& typed) { return large_loss_threshold(typed, settings); }, call);
  if (settings.permanent) {
    std::visit([&](const auto& typed) { relabel(typed, threshold); }, call);
  }
  return large_loss_kernel(call, {threshold, settings.positive_weight});
}

std::unique_ptr<const Loss> make(const LossSetup& setup, double positive_weight,
                                 bool permanent = false) {
  return make_kernel_loss(setup, evaluate,
                          LargeLoss{setup.params.at("delta"), positive_weight, permanent},
                          {.scratch_per_entry = 1});
}

std::unique_ptr<const Loss> make_rejection(const LossSetup& setup) { return make(setup, 0); }

std::unique_ptr<const Loss> make_correction(const LossSetup& setup) { return make(setup, 1); }

std::unique_ptr<const Loss> make_permanent(const LossSetup& setup) { return make(setup, 1, true); }

constexpr std::string_view kGrowing =
    "percent of the batch's entries that join the large losses with each epoch";

constexpr LossParameter kRejectionParams[] = {
    {.name = "delta", .default_value = 0.5, .max = 100, .help = kGrowing}};
constexpr LossParameter kCorrectionParams[] = {
    {.name = "delta", .default_value = 0.2, .max = 100, .help = kGrowing}};
constexpr LossParameter kPermanentParams[] = {
    {.name = "delta",
     .default_value = 0.1,
     .max = 100,
     .help = "percent of the batch's entries that are corrected in each step"}};

constexpr std::string_view kPaper =
    "Kim et al., Large Loss Matters in Weakly Supervised Multi-Label Classification, CVPR 2022; "
    "delta as in the later code of the same group (BoostLU, CVPR 2023), where the paper searches "
    "0.1 to 0.5";

}  // namespace

constexpr LossInfo kLlR = {
    .name = "ll-r",
    .summary = "large-loss rejection: unknown labels with the largest losses are ignored",
    .formula =
        "as `an`, but 0 at the unknown labels whose loss is at least the K-th largest of the "
        "batch's unknown labels, K = ceil(B L (t-1) delta/100) in epoch t",
    .source = kPaper,
    .negatives = "`-log(1-f)`; its loss is never taken for a large one",
    .row_need = RowNeed::kBatch,
    .params = kRejectionParams,
    .make = make_rejection};

constexpr LossInfo kLlCt = {
    .name = "ll-ct",
    .summary =
        "large-loss temporary correction: unknown labels with the largest losses are "
        "positives for the step",
    .formula = "as `an`, but `-log f` at the unknown labels that `ll-r` ignores",
    .source = kPaper,
    .negatives = "`-log(1-f)`; its loss is never taken for a large one",
    .row_need = RowNeed::kBatch,
    .params = kCorrectionParams,
    .make = make_correction};

constexpr LossInfo kLlCp = {
    .name = "ll-cp",
    .summary =
        "large-loss permanent correction: unknown labels with the largest losses become "
        "positives for good",
    .formula =
        "as `ll-ct` with K = ceil(B L delta/100) from the second epoch on; the labels are "
        "observed positives from then on",
    .source = kPaper,
    .negatives = "`-log(1-f)`; its loss is never taken for a large one",
    .memory = {.labels = true},
    .row_need = RowNeed::kBatch,
    .params = kPermanentParams,
    .make = make_permanent};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double large_loss_kernel(const LossCall& call, const LargeLossStep& settings) {
  return entrywise_frozen(
      call, ExactLogs(),
      [s = settings](auto d, const auto& f, const auto& frozen, auto o) HWY_ATTR {
        const auto one = constant(d, 1);
        const auto known = hn::Or(o.positive, o.negative);
        const auto large = hn::AndNot(known, hn::Ge(frozen.z, constant(d, s.threshold)));
        const auto log_p = hn::IfThenElse(large, constant(d, s.positive_weight),
                                          hn::IfThenElseZero(o.positive, one));
        const auto log_q = hn::IfThenZeroElse(hn::Or(o.positive, large), one);
        return cross_entropy(f, log_p, log_q);
      });
}

SPML_SIMD_END();
SPML_DISPATCH(large_loss_kernel, LargeLossStep);
