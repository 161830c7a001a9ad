// role: regularised online label estimation. With f = sigmoid(z), e = sigmoid(u), sg = stop the
// gradient:
//   side(a | b) = mean[ -sg(b) log a - (1 - sg(b)) log(1 - a) ] + EPR(a)
//   ROLE = ( side(f | e) + side(e | f) ) / 2
#define HWY_TARGET_INCLUDE "loss/role.cc"
#include "loss/simd-inl.h"

#include <algorithm>
#include <cmath>

#include "loss/expected_positives-inl.h"
#include "loss/parameters.h"
#include "loss/role_with.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct Role {
  double k, lambda, positive_scale, log_epsilon;
  double classifier_epr;  // weight of EPR(f): 0 where another loss stands in for it
};

double role_kernel(const LossCall& call, const Role& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup, double classifier_epr) {
  const LossParameters& params = setup.params;
  const Role settings = {setup.k.value(), params.at("lambda"), params.at("positive_scale"),
                         params.at("log_epsilon"), classifier_epr};
  return make_kernel_loss(setup, role_kernel, settings,
                          {.estimates = true, .scratch_per_entry = 2});
}

std::unique_ptr<const Loss> make_whole(const LossSetup& setup) { return make(setup, 1); }

// The defaults below were found by experiment on data of 6 to 374 labels; docs/role.md has the
// search. k is not known where parameters are only listed.
double known_k(const LossParameters& known) {
  const auto k = known.find("k");
  return k == known.end() ? 1 : std::max(k->second, 1.0);
}

// Between the released code (1) and the text (L).
double root_of_labels(size_t labels, const LossParameters&) {
  return std::sqrt(static_cast<double>(labels));
}

// An estimate starts near 1/2 and has to travel to near k/L, but moves only when its row comes by:
// the rarer positives are, the faster.
double rate_by_rarity(size_t labels, const LossParameters& known) {
  return std::clamp(2.5 * static_cast<double>(labels) / known_k(known), 30.0, 100.0);
}

// Undecided, at 1/2, unless hardly anything is hidden: towards k = 1 the start moves to the prior
// k/L, in logits.
double start_by_k(size_t labels, const LossParameters& known) {
  const double k = known_k(known);
  const double prior = std::min(k / static_cast<double>(labels), 0.5);
  return 1 / (1 + std::pow((1 - prior) / prior, std::pow(k, -6)));
}

constexpr LossParameter kRolePositiveScale = {.name = kPositiveScale.name,
                                              .default_value = kPositiveScale.default_value,
                                              .help = kPositiveScale.help,
                                              .default_text = "sqrt(L)",
                                              .default_rule = root_of_labels};

constexpr LossParameter kParams[] = {
    kLambda,
    kRolePositiveScale,
    {.name = "estimate_lr_factor",
     .help = "learning rate of the estimates over the classifier's, for the trainer; 10 in the "
             "released code",
     .default_text = "2.5 L/k, from 30 to 100",
     .default_rule = rate_by_rarity},
    {.name = "estimate_start",
     .min = 1e-6,
     .max = 1 - 1e-6,
     .help = "where estimates of unknown labels start, give or take 0.4 in logits, in a table of "
             "estimates; 0.5 in the released code",
     .default_text = "0.5, and towards k = 1 the prior k/L",
     .default_rule = start_by_k},
    kLogEpsilon};

}  // namespace

constexpr LossInfo kRole = {
    .name = "role",
    .summary =
        "regularised online label estimation: classifier and label estimates train each other",
    .formula =
        "`(side(f|e) + side(e|f)) / 2` with "
        "`side(a|b) = mean[-sg(b) log a - (1-sg(b)) log(1-a)] + EPR(a)`, EPR as in `epr`, "
        "e = sigmoid(u) the label estimates, sg = no gradient",
    .source = "Cole et al., CVPR 2021",
    .negatives =
        "`-positive_scale log(1-a)` on both sides, the weight of an observed positive; its "
        "estimate starts at 0.005",
    .needs_k = true,
    .uses_estimates = true,
    .row_need = RowNeed::kSums,
    .params = kParams,
    .make = make_whole};

std::unique_ptr<const Loss> make_role_without_classifier_epr(const LossSetup& setup) {
  return make(setup, 0);
}

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

template <class V>
struct Probability {
  V p, q;
};

// sg(sigmoid): of the frozen logits where they are given (checks), else what is known already.
template <class D, class V = hn::Vec<D>>
HWY_NOINLINE Probability<V> frozen_probability(Block<D> block, const hn::TFromD<D>* frozen) {
  const Logit<V> logit = ExactLogs()(block.d, block.load(frozen));
  return {logit.p, logit.q};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE Probability<V> stopped(Block<D> block, const Logit<V>& live,
                                  const hn::TFromD<D>* frozen) {
  return frozen == nullptr ? Probability<V>{live.p, live.q} : frozen_probability(block, frozen);
}

double role_kernel(const LossCall& call, const Role& settings) {
  return run(
      call, settings.log_epsilon,
      [&](auto d, const auto& in, const auto& out, const auto& logit_of) HWY_ATTR {
        const size_t B = in.rows_in_all(), L = in.labels_in_all();
        const size_t n = in.logits.size();
        const double half_scale = 0.5 / static_cast<double>(B * L);
        const auto vscale = constant(d, half_scale);
        const auto f_weight = constant(d, settings.classifier_epr * settings.positive_scale);
        const auto e_weight = constant(d, settings.positive_scale);
        // p(1-p) of both sets of logits, each (B, L).
        auto* const f_slopes = out.logits.empty() ? nullptr : out.scratch.data();
        auto* const e_slopes = out.estimates.empty() ? nullptr : out.scratch.data() + n;

        Sum loss(d), sum_f(d), sum_e(d);
        for_each_block(d, n, [&](auto block) HWY_ATTR {
          const auto f = logit_of(d, block.load(in.logits.data));
          const auto e = logit_of(d, block.load(in.estimates.data));
          const auto target_f = stopped(block, f, in.frozen_logits.data);
          const auto target_e = stopped(block, e, in.frozen_estimates.data);
          const auto observed = block.observed(in.observed.data);
          const auto side = [&](const auto& a, const auto& target, auto weight) HWY_ATTR {
            return cross_entropy(a,
                                 hn::Add(target.p, hn::IfThenElseZero(observed.positive, weight)),
                                 hn::Add(target.q, hn::IfThenElseZero(observed.negative, weight)));
          };
          const auto f_side = side(f, target_e, f_weight);
          const auto e_side = side(e, target_f, e_weight);
          loss.add(block.keep(hn::Add(f_side.value, e_side.value)));
          sum_f.add(block.keep(f.p));
          sum_e.add(block.keep(e.p));
          block.store(hn::Mul(f_side.dz, vscale), out.logits.data);
          block.store(hn::Mul(e_side.dz, vscale), out.estimates.data);
          block.store(hn::Mul(f.p, f.q), f_slopes);
          block.store(hn::Mul(e.p, e.q), e_slopes);
        });

        const auto [k, lambda] = std::pair(settings.k, settings.lambda);
        double sums[] = {sum_f.total(), sum_e.total()};
        if (in.others != nullptr) {
          in.others->sum(sums);
          const auto slope = [&, k = k](double sum, double weight) {
            return 0.5 * expected_positives(sum, B, L, k, weight).slope;
          };
          const double f_lambda = settings.classifier_epr * lambda;
          sum_over_processes(
              d, in, in.logits, logit_of, [&](double sum) { return slope(sum, f_lambda); },
              sums[0]);
          sum_over_processes(
              d, in, in.estimates, logit_of,
              [&, lambda = lambda](double sum) { return slope(sum, lambda); }, sums[1]);
        }
        const Regulariser reg_f =
            expected_positives(sums[0], B, L, k, settings.classifier_epr * lambda);
        const Regulariser reg_e = expected_positives(sums[1], B, L, k, lambda);
        add_scaled(d, n, 0.5 * reg_f.slope, f_slopes, out.logits.data);
        add_scaled(d, n, 0.5 * reg_e.slope, e_slopes, out.estimates.data);
        if (in.others != nullptr) {
          return loss.total() * half_scale + 0.5 * (reg_f.value + reg_e.value) * share_of(in);
        }
        return loss.total() * half_scale + 0.5 * (reg_f.value + reg_e.value);
      });
}

SPML_SIMD_END();
SPML_DISPATCH(role_kernel, Role);
