// The table of losses. Each row is defined beside its formula; a new loss adds one line here.
#pragma once

#include "loss/info.h"

// The paper's losses in its order, then newer ones.
// clang-format off
#define SPML_LOSS_TABLE(row)                                                               \
  /* cross_entropy.cc      */ row(kBce) row(kBceLs) row(kIu) row(kIun) row(kAn) row(kAnLs) \
  /*                       */ row(kWan)                                                    \
  /* wan_sampled.cc        */ row(kWanSampled)                                             \
  /* epr.cc                */ row(kEpr)                                                    \
  /* role.cc               */ row(kRole)                                                   \
  /* pr.cc                 */ row(kPr)                                                     \
  /* focal.cc              */ row(kFocal)                                                  \
  /* asl.cc                */ row(kAsl)                                                    \
  /* focal.cc              */ row(kHill) row(kSplc)                                        \
  /* em.cc                 */ row(kEm) row(kEmApl)                                         \
  /* gr.cc                 */ row(kGr)                                                     \
  /* large_loss.cc         */ row(kLlR) row(kLlCt) row(kLlCp)                              \
  /* self_training.cc      */ row(kSelfTraining)                                           \
  /* class_prior_losses.cc */ row(kCrisp) row(kNnpu)                                       \
  /* ridge.cc              */ row(kRidge)                                                  \
  /* margin.cc             */ row(kLogistic) row(kSquaredHinge)
// clang-format on

namespace spml {

#define SPML_DECLARE(name) extern const LossInfo name;
SPML_LOSS_TABLE(SPML_DECLARE)
#undef SPML_DECLARE

}  // namespace spml
