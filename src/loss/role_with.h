// role+X: ROLE with the loss X in place of EPR(f), the classifier's regulariser.
#pragma once

#include "loss/info.h"

namespace spml {

// ( mean[ -sg(e) log f - (1 - sg(e)) log(1 - f) ] + side(e | f) ) / 2: what role+X adds to X/2.
std::unique_ptr<const Loss> make_role_without_classifier_epr(const LossSetup& setup);  // role.cc

// From the parameters of both, resolved.
std::unique_ptr<const Loss> make_role_with(const LossInfo& base, const LossSetup& setup);

}  // namespace spml
