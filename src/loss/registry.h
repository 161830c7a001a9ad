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
extern const LossInfo kFocal, kHill, kSplc;                       // focal.cc
extern const LossInfo kAsl;                                       // asl.cc
extern const LossInfo kEm, kEmApl;                                // em.cc
extern const LossInfo kGr;                                        // gr.cc
extern const LossInfo kLlR, kLlCt, kLlCp;                         // large_loss.cc
extern const LossInfo kSelfTraining;                              // self_training.cc
extern const LossInfo kCrisp, kNnpu;                              // class_prior_losses.cc

}  // namespace spml
