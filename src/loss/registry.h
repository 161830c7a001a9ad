// The rows of the loss table, each defined beside its formula. A new loss adds one line here and
// one to the table in registry.cc.
#pragma once

#include "spml/loss.h"

namespace spml {

extern const LossInfo kBce, kBceLs, kIu, kIun, kAn, kAnLs, kWan;  // cross_entropy.cc
extern const LossInfo kWanSampled;                                // wan_sampled.cc
extern const LossInfo kEpr;                                       // epr.cc
extern const LossInfo kRole;                                      // role.cc
extern const LossInfo kPr;                                        // pr.cc

}  // namespace spml
