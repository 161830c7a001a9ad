// self-training: an; after each epoch unknown labels with f > tau become positives for good.
#include "loss/parameters.h"
#include "loss/table.h"

namespace spml {
namespace {

class SelfTraining final : public Loss {
 public:
  SelfTraining(const LossSetup& setup)
      : assume_negative_(make_loss("an", {.labels = setup.labels, .k = {}, .params = {}})),
        tau_(setup.params.at("tau")),
        warm_up_(setup.params.at("warm_up")) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    return assume_negative_->evaluate(in, out);
  }
  double evaluate(const BasicLossInput<double>& in,
                  const BasicLossOutput<double>& out) const override {
    return assume_negative_->evaluate(in, out);
  }

  void review(const LabelReview& label) const override {
    if (label.epoch < warm_up_epochs(warm_up_, label.epochs)) return;
    for (size_t i = 0; i < label.labels.size(); ++i) {
      if (label.labels[i] == 0 && label.probabilities[i] > tau_) label.labels[i] = 1;
    }
  }

 private:
  std::unique_ptr<const Loss> assume_negative_;
  double tau_, warm_up_;
};

std::unique_ptr<const Loss> make(const LossSetup& setup) {
  return std::make_unique<SelfTraining>(setup);
}

constexpr LossParameter kParams[] = {
    {.name = "tau",
     .default_value = 0.8,
     .max = 1,
     .help = "an unknown label with f above this becomes a positive; 1 is never"},
    warm_up(0.1)};

}  // namespace

constexpr LossInfo kSelfTraining = {
    .name = "self-training",
    .summary = "an, and unknown labels that the classifier is sure of become positives for good",
    .formula =
        "as `an`; after each epoch t >= warm_up T every unknown label with f > tau is an observed "
        "positive from then on",
    .source =
        "inferred from published code, not from a text: the relabelling that we take to be that of "
        "Liu et al., Revisiting Pseudo-Label for Single-Positive Multi-Label Learning, ICML 2023, "
        "without its bottleneck",
    .negatives = "`-log(1-f)`; never relabelled",
    .memory = {.labels = true, .reviews = true},
    .row_need = RowNeed::kNothing,
    .params = kParams,
    .make = make};

}  // namespace spml
