// The losses that weigh -log f and -log(1 - f) by the observed label alone:
//   bce, bce-ls, iu, iun, an, an-ls, wan.
#define HWY_TARGET_INCLUDE "loss/cross_entropy.cc"
#include "loss/simd-inl.h"

#include "loss/entrywise-inl.h"
#include "loss/parameters.h"
#include "loss/table.h"

#if SPML_FIRST_READING
namespace spml {
namespace {

// An entry's loss is -(log_p * log f + log_q * log(1 - f)).
struct Weights {
  double log_p, log_q;
};

struct CrossEntropy {
  Weights positive, unknown, negative;  // by observed label
  double log_epsilon;
};

double cross_entropy_kernel(const LossCall& call, const CrossEntropy& settings);

std::unique_ptr<const Loss> make(const LossSetup& setup, Weights positive, Weights unknown,
                                 Weights negative) {
  return make_kernel_loss(
      setup, cross_entropy_kernel,
      CrossEntropy{positive, unknown, negative, setup.params.at("log_epsilon")});
}

std::unique_ptr<const Loss> make_assume_negative(const LossSetup& setup) {
  return make(setup, {1, 0}, {0, 1}, {0, 1});
}

std::unique_ptr<const Loss> make_ignore_unknown(const LossSetup& setup) {
  return make(setup, {1, 0}, {0, 0}, {0, 1});
}

std::unique_ptr<const Loss> make_smoothed(const LossSetup& setup) {
  const double p = setup.params.at("eps_p") / 2, n = setup.params.at("eps_n") / 2;
  return make(setup, {1 - p, p}, {n, 1 - n}, {n, 1 - n});
}

// What is assumed is smoothed, what is known to be absent is not.
std::unique_ptr<const Loss> make_smoothed_unknown(const LossSetup& setup) {
  const double p = setup.params.at("eps_p") / 2, n = setup.params.at("eps_n") / 2;
  return make(setup, {1 - p, p}, {n, 1 - n}, {0, 1});
}

std::unique_ptr<const Loss> make_weighted(const LossSetup& setup) {
  const double gamma = setup.params.at("gamma");
  return make(setup, {1, 0}, {0, gamma}, {0, 1});
}

double same_as_eps(size_t, const LossParameters& earlier) { return earlier.find("eps")->second; }

double one_over_others(size_t labels, const LossParameters&) {
  return labels > 1 ? 1.0 / static_cast<double>(labels - 1) : 1.0;
}

constexpr LossParameter kPlain[] = {kLogEpsilon};

constexpr LossParameter kSmoothing[] = {
    {.name = "eps", .default_value = 0.1, .max = 1, .help = "label smoothing; 0 is none"},
    {.name = "eps_p",
     .max = 1,
     .help = "smoothing of the positives alone",
     .default_text = "eps",
     .default_rule = same_as_eps},
    {.name = "eps_n",
     .max = 1,
     .help = "smoothing of the assumed (bce-ls: true) negatives alone",
     .default_text = "eps",
     .default_rule = same_as_eps},
    kLogEpsilon};

constexpr LossParameter kWeighting[] = {{.name = "gamma",
                                         .help = "weight of an assumed negative; 1 when L = 1",
                                         .default_text = "1/(L-1)",
                                         .default_rule = one_over_others},
                                        kLogEpsilon};

constexpr std::string_view kPaper = "Cole et al., CVPR 2021";

constexpr std::string_view kNoneUnknown = "nothing is unknown to this loss";
constexpr std::string_view kFull = "`-log(1-f)`";

}  // namespace

constexpr LossInfo kBce = {.name = "bce",
                           .summary = "binary cross-entropy on the full truth: the upper bound",
                           .formula = "`-log f` where y = 1, `-log(1-f)` where y = 0",
                           .source = kPaper,
                           .negatives = kNoneUnknown,
                           .needs = LabelNeed::kTruth,
                           .row_need = RowNeed::kNothing,
                           .params = kPlain,
                           .make = make_assume_negative};

constexpr LossInfo kBceLs = {.name = "bce-ls",
                             .summary = "bce with label smoothing",
                             .formula =
                                 "`-(1 - eps_p/2) log f - (eps_p/2) log(1-f)` where y = 1, "
                                 "`-(1 - eps_n/2) log(1-f) - (eps_n/2) log f` where y = 0",
                             .source = kPaper,
                             .negatives = kNoneUnknown,
                             .needs = LabelNeed::kTruth,
                             .row_need = RowNeed::kNothing,
                             .params = kSmoothing,
                             .make = make_smoothed};

constexpr LossInfo kIu = {.name = "iu",
                          .summary = "ignore unknown labels: observed positives and negatives only",
                          .formula = "`-log f` where o = +1, `-log(1-f)` where o = -1, 0 elsewhere",
                          .source = kPaper,
                          .negatives = kFull,
                          .needs = LabelNeed::kNegatives,
                          .row_need = RowNeed::kNothing,
                          .params = kPlain,
                          .make = make_ignore_unknown};

constexpr LossInfo kIun = {
    .name = "iun",
    .summary = "ignore unobserved positives: every true negative is known",
    .formula = "`-log f` where o = +1, `-log(1-f)` where y = 0, 0 at unobserved positives",
    .source = kPaper,
    .negatives = kFull,
    .needs = LabelNeed::kTrueNegatives,
    .row_need = RowNeed::kNothing,
    .params = kPlain,
    .make = make_ignore_unknown};

constexpr LossInfo kAn = {
    .name = "an",
    .summary = "assume negative: every label not observed positive is a negative",
    .formula = "`-log f` where o = +1, `-log(1-f)` elsewhere",
    .source = kPaper,
    .negatives = "`-log(1-f)`, which is what it assumes of unknown labels too",
    .row_need = RowNeed::kNothing,
    .params = kPlain,
    .make = make_assume_negative};

constexpr LossInfo kAnLs = {.name = "an-ls",
                            .summary = "an with label smoothing",
                            .formula =
                                "`-(1 - eps_p/2) log f - (eps_p/2) log(1-f)` where o = +1, "
                                "`-(1 - eps_n/2) log(1-f) - (eps_n/2) log f` where o = 0, "
                                "`-log(1-f)` where o = -1",
                            .source = kPaper,
                            .negatives = "`-log(1-f)`, not smoothed",
                            .row_need = RowNeed::kNothing,
                            .params = kSmoothing,
                            .make = make_smoothed_unknown};

constexpr LossInfo kWan = {.name = "wan",
                           .summary = "weak assume negative: assumed negatives weigh less",
                           .formula =
                               "`-log f` where o = +1, `-gamma log(1-f)` where o = 0, "
                               "`-log(1-f)` where o = -1",
                           .source = kPaper,
                           .negatives = "`-log(1-f)`, at full weight",
                           .row_need = RowNeed::kNothing,
                           .params = kWeighting,
                           .make = make_weighted};

}  // namespace spml
#endif  // SPML_FIRST_READING

SPML_SIMD_BEGIN();

double cross_entropy_kernel(const LossCall& call, const CrossEntropy& settings) {
  return entrywise(call, settings.log_epsilon,
                   [s = settings](auto d, const auto& logit, auto observed) HWY_ATTR {
                     const auto choose = [&](double Weights::*weight) HWY_ATTR {
                       return hn::IfThenElse(
                           observed.positive, constant(d, s.positive.*weight),
                           hn::IfThenElse(observed.negative, constant(d, s.negative.*weight),
                                          constant(d, s.unknown.*weight)));
                     };
                     return cross_entropy(logit, choose(&Weights::log_p), choose(&Weights::log_q));
                   });
}

SPML_SIMD_END();
SPML_DISPATCH(cross_entropy_kernel, CrossEntropy);
