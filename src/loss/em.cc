// em: -log f where o = +1, -negative_weight log(1-f) where o = -1; elsewhere the negative entropy,
// alpha (f log f + (1-f) log(1-f)), whose derivative is alpha z f (1-f).
// em-apl: the same, and asymmetric pseudo-labels: after each epoch of the later part of training
// the unknown labels with the lowest f keep that f as their soft label s, and have
// beta (-s log f - (1-s) log(1-f)) from then on.
#define HWY_TARGET_INCLUDE "loss/em.cc"
#include "loss/simd-inl.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "loss/entrywise-inl.h"
#include "loss/parameters.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Em {
  double alpha, negative_weight;
  double beta = 0, warm_up = 0, share = 0;  // of pseudo-labels
};

double em_kernel(const LossCall& call, const Em& settings);
double em_apl_kernel(const LossCall& call, const Em& settings);

// The least likely of the labels still unknown get their probability as soft label, as many after
// each epoch as make up the share in the end.
void review(const LabelReview& label, const Em& settings) {
  const int warm = warm_up_epochs(settings.warm_up, label.epochs);
  if (label.epoch < warm) return;
  std::vector<size_t> unknown;
  size_t initially = 0;
  for (size_t i = 0; i < label.observed.size(); ++i) {
    if (label.observed[i] != 0) continue;
    ++initially;
    if (label.soft_labels[i] < 0) unknown.push_back(i);
  }
  const double rounds = std::max(label.epochs - warm, 1);
  const auto wanted = static_cast<size_t>(settings.share * static_cast<double>(initially) / rounds);
  const auto last = unknown.begin() + static_cast<ptrdiff_t>(std::min(wanted, unknown.size()));
  std::partial_sort(unknown.begin(), last, unknown.end(), [&](size_t a, size_t b) {
    return std::pair(label.probabilities[a], a) < std::pair(label.probabilities[b], b);
  });
  for (auto i = unknown.begin(); i != last; ++i) label.soft_labels[*i] = label.probabilities[*i];
}

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  return make_kernel_loss(setup, em_kernel,
                          Em{setup.params.at("alpha"), setup.params.at("negative_weight")});
}

std::unique_ptr<const Loss> make_with_pseudo_labels(const LossSetup& setup) {
  const auto at = [&](std::string_view name) { return setup.params.find(name)->second; };
  return make_kernel_loss(
      setup, em_apl_kernel,
      Em{at("alpha"), at("negative_weight"), at("beta"), at("warm_up"), at("share")}, {}, review);
}

// The more positives a row has, the more of its unknown labels are positives, and the less a pull
// towards 1/2 says about them. The authors' values (VOC 0.2, COCO and NUS 0.1, CUB 0.01) lie close
// to 0.3/k; on data they did not have it is no worse than 0.2 or better (docs/benchmark.md).
double weight_by_positives(size_t, const LossParameters& known) {
  const auto k = known.find("k");
  return k == known.end() ? 0.2 : 0.3 / std::max(k->second, 1.0);
}

constexpr LossParameter kAlpha = {
    .name = "alpha",
    .help =
        "weight of the unknown labels' entropy (k counts as 1 at least; 0.2 where it is unknown)",
    .default_text = "0.3/k",
    .default_rule = weight_by_positives};

// Unknown labels are left almost alone, so that a few known negatives with the weight of positives
// would be most of what pushes scores down, and decide on their own rows what they look like: one
// row in twenty known completely cost 2.4 points of MAP on VOC12 (docs/benchmark.md).
constexpr LossParameter kNegativeWeight = {
    .name = "negative_weight", .default_value = 0.1, .help = "weight of a known negative"};

constexpr LossParameter kParams[] = {kAlpha, kNegativeWeight};

constexpr LossParameter kAplParams[] = {
    kAlpha,
    kNegativeWeight,
    {.name = "beta", .default_value = 0.02, .help = "weight of a pseudo-label"},
    warm_up(0.5),
    {.name = "share",
     .default_value = 0.9,
     .max = 1,
     .help = "share of the unknown labels that have a pseudo-label in the end"}};

constexpr std::string_view kPaper = "Zhou et al., Acknowledging the Unknown, ECCV 2022";

}  // namespace

constexpr LossInfo kEm = {
    .name = "em",
    .summary = "entropy maximisation: unknown labels are pulled towards f = 1/2",
    .formula =
        "`-log f` where o = +1, `-negative_weight log(1-f)` where o = -1, "
        "`alpha (f log f + (1-f) log(1-f))` elsewhere",
    .source = kPaper,
    .negatives = "`-negative_weight log(1-f)`",
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make};

constexpr LossInfo kEmApl = {
    .name = "em-apl",
    .summary = "em, and the least likely unknown labels get soft negative pseudo-labels",
    .formula =
        "as `em`, but `beta (-s log f - (1-s) log(1-f))` at unknown labels with a soft label s; "
        "after each epoch t >= warm_up T, `floor(share U / (T - warm_up T))` of the U unknown "
        "labels of each class, those with the lowest f, get s = f for good",
    .source = kPaper,
    .negatives = "`-negative_weight log(1-f)`; never a pseudo-label",
    .memory = {.soft_labels = true, .reviews = true},
    .row_need = RowNeed::kNothing,
    .params = kAplParams,
    .make = make_with_pseudo_labels};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

template <class D, class V = hn::Vec<D>>
HWY_INLINE EntryLoss<V> em(D d, const Em& settings, const Logit<V>& f, const Observed<D>& o) {
  const V alpha = constant(d, settings.alpha);
  const V minus_entropy = hn::MulAdd(f.p, f.log_p, hn::Mul(f.q, f.log_q));
  const V slope = hn::Mul(f.z, hn::Mul(f.p, f.q));
  const auto known =
      cross_entropy(f, hn::IfThenElseZero(o.positive, constant(d, 1)),
                    hn::IfThenElseZero(o.negative, constant(d, settings.negative_weight)));
  return choose(hn::Or(o.positive, o.negative), known,
                EntryLoss<V>{hn::Mul(alpha, minus_entropy), hn::Mul(alpha, slope)});
}

double em_kernel(const LossCall& call, const Em& settings) {
  return entrywise(call, ExactLogs(), [s = settings](auto d, const auto& f, auto o) HWY_ATTR {
    return em(d, s, f, o);
  });
}

double em_apl_kernel(const LossCall& call, const Em& settings) {
  return entrywise_soft(
      call, ExactLogs(), [s = settings](auto d, const auto& f, auto o, auto soft) HWY_ATTR {
        const auto beta = constant(d, s.beta);
        const auto pseudo =
            cross_entropy(f, hn::Mul(beta, soft), hn::Mul(beta, hn::Sub(constant(d, 1), soft)));
        const auto has_pseudo =
            hn::AndNot(hn::Or(o.positive, o.negative), hn::Ge(soft, hn::Zero(d)));
        return choose(has_pseudo, pseudo, em(d, s, f, o));
      });
}

SPML_SIMD_END();
SPML_DISPATCH(em_kernel, Em);
SPML_DISPATCH(em_apl_kernel, Em);
