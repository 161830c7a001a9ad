#include "settings/own_loss.h"

#include "base/fail.h"

namespace spml {
namespace {

class RecordedLoss : public Loss {
 public:
  RecordedLoss(const std::string& name, bool uses_estimates) {
    traits_.name = name;
    traits_.uses_estimates = uses_estimates;
  }

  using Loss::evaluate;
  double evaluate(const LossInput&, const LossOutput&) const override {
    fail("loss {} was given as an object and is not part of this program", traits_.name);
  }
  LossTraits traits() const override { return traits_; }

 private:
  LossTraits traits_;
};

}  // namespace

OwnLoss::OwnLoss(std::shared_ptr<const Loss> own) : loss(std::move(own)), traits(loss->traits()) {
  info.name = traits.name;
  info.needs = traits.needs;
  info.needs_k = traits.needs_k;
  info.uses_estimates = traits.uses_estimates;
  info.memory = traits.memory;
  info.row_need = traits.row_need;
  if (traits.uses_estimates) {
    params = {{.name = "estimate_lr_factor",
               .default_value = traits.estimate_lr_factor,
               .help = "step size of the label estimates, relative to lr"},
              {.name = "estimate_start",
               .default_value = traits.estimate_start,
               .help = "where the estimates of unknown labels start"}};
  }
  info.params = params;
}

std::shared_ptr<const OwnLoss> recorded_loss(const std::string& name, bool uses_estimates) {
  return std::make_shared<OwnLoss>(std::make_shared<RecordedLoss>(name, uses_estimates));
}

}  // namespace spml
