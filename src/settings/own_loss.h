// Losses from outside the table, in the shape that the trainer knows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loss/info.h"

namespace spml {

// A loss given as an object, described as the losses of the table are.
struct OwnLoss {
  explicit OwnLoss(std::shared_ptr<const Loss> own);
  OwnLoss(const OwnLoss&) = delete;
  OwnLoss& operator=(const OwnLoss&) = delete;

  std::shared_ptr<const Loss> loss;
  LossTraits traits;
  std::vector<LossParameter> params;
  LossInfo info;  // refers to the members above
};

// Stands for a loss that was given as an object, where only its name is known: it cannot be
// evaluated.
std::shared_ptr<const OwnLoss> recorded_loss(const std::string& name, bool uses_estimates);

}  // namespace spml
