// Risks of one label over the rows of a batch, from its prior pi. With U the mean over all rows of
// the loss of a negative, P- its mean over the observed positives and P+ that of the loss of a
// positive, the negatives' risk is U - pi P-, because U mixes positives and negatives. So an
// estimate of a fully labelled risk that has no bias is
//   pi P+ + U - pi P-.
// crisp: the losses 1-f and f, for which P- = 1 - P+ and the risk is 2 pi P+ + U - pi; |U - pi| is
//        taken, as no mean of f is a negative risk.
// nnpu:  logistic losses; where the negatives' risk is below 0 it is raised instead.
// P+ and P- are means over all n_j observed positives of the data set, of which a batch of B rows
// (of n) has few or none: each counts n / (B n_j), which is right on average. Observed negatives
// add the mean over the batch's rows of their loss of a negative.
#define HWY_TARGET_INCLUDE "loss/class_prior_losses.cc"
#include "loss/simd-inl.h"

#include "base/fail.h"
#include "loss/class_prior.h"
#include "loss/entrywise-inl.h"
#include "loss/parameters.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

struct WarmUp {
  double share;
  std::shared_ptr<const Loss> loss;  // an
};

double crisp_kernel(const LossCall& call, const WarmUp& warm);
double nnpu_kernel(const LossCall& call, const WarmUp& warm);

// The kernel's risk once the priors are known, before that the loss of the warm-up.
double evaluate(const LossCall& call, const WarmUp& warm,
                double (*kernel)(const LossCall&, const WarmUp&)) {
  return std::visit(
      [&](const auto& typed) {
        const auto& [in, out] = typed;
        if (in.epoch <= warm_up_epochs(warm.share, in.epochs)) return warm.loss->evaluate(in, out);
        if (in.class_priors.empty() && in.logits.cols > 0)
          fail("loss: expected class priors, found none");
        return kernel(call, warm);
      },
      call);
}

double evaluate_crisp(const LossCall& call, const WarmUp& warm) {
  return evaluate(call, warm, crisp_kernel);
}

double evaluate_nnpu(const LossCall& call, const WarmUp& warm) {
  return evaluate(call, warm, nnpu_kernel);
}

void review(const LabelReview& label, const WarmUp& warm) {
  if (label.epoch < warm_up_epochs(warm.share, label.epochs)) return;
  label.prior[0] = static_cast<float>(estimate_class_prior(label.probabilities, label.observed));
}

WarmUp warm_up_of(const LossSetup& setup) {
  return {setup.params.at("warm_up"),
          make_loss("an", {.labels = setup.labels, .k = {}, .params = {}})};
}

std::unique_ptr<const Loss> make_crisp(const LossSetup& setup) {
  return make_kernel_loss(setup, evaluate_crisp, warm_up_of(setup), {}, review);
}

std::unique_ptr<const Loss> make_nnpu(const LossSetup& setup) {
  return make_kernel_loss(setup, evaluate_nnpu, warm_up_of(setup), {}, review);
}

constexpr LossParameter kParams[] = {warm_up(0.2)};

}  // namespace

constexpr LossInfo kCrisp = {
    .name = "crisp",
    .summary =
        "class-prior risk: the share of each label is estimated, and its mean f kept near it",
    .formula =
        "as `an` for warm_up T epochs; then the mean over labels of "
        "`2 pi P[1-f] + |mean[f] - pi| + mean[f where o = -1]`: the means are over the B rows of "
        "the batch; `P[x]` is the sum of x where o = +1, times n / (B n_j), with n_j of the n "
        "training rows observed positive; pi is the label's prior, estimated from all training "
        "rows after each epoch",
    .source =
        "Liu et al., Can Class-Priors Help Single-Positive Multi-Label Learning?, arXiv 2309.13886 "
        "(Eq. 7); the warm-up and its length are ours",
    .negatives = "adds f to the risk, at the weight of a row of the mean",
    .memory = {.priors = true, .reviews = true},
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make_crisp};

constexpr LossInfo kNnpu = {
    .name = "nnpu",
    .summary = "non-negative risk of positive and unlabelled rows, label by label",
    .formula =
        "as `an` for warm_up T epochs; then the mean over labels of "
        "`pi P[-log f] + N + mean[-log(1-f) where o = -1]`, N = `mean[-log(1-f)] - pi "
        "P[-log(1-f)]`, "
        "or `-N` in place of the first two where N < 0; mean, P and pi as in `crisp`",
    .source =
        "Kiryo et al., Positive-Unlabeled Learning with Non-Negative Risk Estimator, NeurIPS 2017; "
        "for many labels, the estimated prior and the warm-up are ours",
    .negatives = "adds `-log(1-f)` to the risk, at the weight of a row of the mean",
    .memory = {.priors = true, .reviews = true},
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make_nnpu};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

// The risk of a label and its derivatives by U, P+ and P-.
template <class V>
struct Risk {
  V value, by_all, by_positive, by_negative;
};

struct Crisp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE EntryLoss<V> if_positive(D, const Logit<V>& f) const {
    return {f.q, hn::Neg(hn::Mul(f.p, f.q))};
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE EntryLoss<V> if_negative(D, const Logit<V>& f) const {
    return {f.p, hn::Mul(f.p, f.q)};
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Risk<V> risk(D d, V pi, V all, V positive, V) const {
    const V twice = hn::Add(pi, pi), away = hn::Sub(all, pi);
    return {hn::MulAdd(twice, positive, hn::Abs(away)), hn::CopySign(constant(d, 1), away), twice,
            hn::Zero(d)};
  }
};

struct Nnpu {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE EntryLoss<V> if_positive(D, const Logit<V>& f) const {
    return {hn::Neg(f.log_p), hn::Neg(f.dlog_p)};
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE EntryLoss<V> if_negative(D, const Logit<V>& f) const {
    return {hn::Neg(f.log_q), hn::Neg(f.dlog_q)};
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Risk<V> risk(D d, V pi, V all, V positive, V negative) const {
    const V one = constant(d, 1), of_negatives = hn::NegMulAdd(pi, negative, all);
    const auto possible = hn::Ge(of_negatives, hn::Zero(d));
    return {hn::IfThenElse(possible, hn::MulAdd(pi, positive, of_negatives), hn::Neg(of_negatives)),
            hn::IfThenElse(possible, one, hn::Neg(one)), hn::IfThenElseZero(possible, pi),
            hn::IfThenElse(possible, hn::Neg(pi), pi)};
  }
};

// The mean over labels; a vector holds neighbouring labels.
template <class Method>
HWY_INLINE double mean_risk(const LossCall& call, Method method) {
  return run(call, ExactLogs(),
             [=](auto d, const auto& in, const auto& out, const auto& logit_of) HWY_ATTR {
               const size_t B = in.logits.rows, L = in.logits.cols;
               const double rows = static_cast<double>(B),
                            labels = static_cast<double>(in.labels_in_all());
               const auto zero = hn::Zero(d), one = constant(d, 1);
               Sum sum(d);
               for_each_block(d, L, [&](auto label) HWY_ATTR {
                 const auto at_row = [&](size_t i) HWY_ATTR {
                   return decltype(label){d, i * L + label.begin, label.count};
                 };
                 auto count = zero, all = zero, positive = zero, negative = zero, known = zero;
                 for (size_t i = 0; i < B; ++i) {
                   const auto f = logit_of(d, at_row(i).load(in.logits.data));
                   const auto observed = at_row(i).observed(in.observed.data);
                   const auto minus = method.if_negative(d, f).value;
                   const auto plus = method.if_positive(d, f).value;
                   count = hn::Add(count, hn::IfThenElseZero(observed.positive, one));
                   all = hn::Add(all, minus);
                   negative = hn::Add(negative, hn::IfThenElseZero(observed.positive, minus));
                   positive = hn::Add(positive, hn::IfThenElseZero(observed.positive, plus));
                   known = hn::Add(known, hn::IfThenElseZero(observed.negative, minus));
                 }
                 // n_j in as many rows as the batch has; where it is 0 there is nothing to divide.
                 const auto expected =
                     in.observed_shares.empty()
                         ? count
                         : hn::Mul(constant(d, rows), label.load(in.observed_shares.data()));
                 const auto per_row = constant(d, 1 / rows);
                 const auto some = hn::Gt(expected, zero);
                 const auto per_positive =
                     hn::IfThenElseZero(some, hn::Div(one, hn::IfThenElse(some, expected, one)));
                 const auto risk =
                     method.risk(d, label.load(in.class_priors.data()), hn::Mul(all, per_row),
                                 hn::Mul(positive, per_positive), hn::Mul(negative, per_positive));
                 sum.add(label.keep(hn::MulAdd(known, per_row, risk.value)));

                 const auto scale = constant(d, 1 / labels);
                 const auto by_known = hn::Mul(scale, per_row);
                 const auto by_all = hn::Mul(by_known, risk.by_all);
                 const auto by_positive = hn::Mul(scale, hn::Mul(risk.by_positive, per_positive));
                 const auto by_negative = hn::Mul(scale, hn::Mul(risk.by_negative, per_positive));
                 for (size_t i = 0; i < B; ++i) {
                   const auto f = logit_of(d, at_row(i).load(in.logits.data));
                   const auto observed = at_row(i).observed(in.observed.data);
                   const auto minus = method.if_negative(d, f).dz;
                   const auto plus = method.if_positive(d, f).dz;
                   const auto of_positive =
                       hn::MulAdd(by_positive, plus, hn::Mul(by_negative, minus));
                   const auto of_known = hn::IfThenElse(
                       observed.positive, of_positive,
                       hn::IfThenElseZero(observed.negative, hn::Mul(by_known, minus)));
                   at_row(i).store(hn::MulAdd(by_all, minus, of_known), out.logits.data);
                 }
               });
               return sum.total() / labels;
             });
}

double crisp_kernel(const LossCall& call, const WarmUp&) { return mean_risk(call, Crisp()); }

double nnpu_kernel(const LossCall& call, const WarmUp&) { return mean_risk(call, Nnpu()); }

SPML_SIMD_END();
SPML_DISPATCH(crisp_kernel, WarmUp);
SPML_DISPATCH(nnpu_kernel, WarmUp);
