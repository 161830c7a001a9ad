// How the learning rate of a network changes in the course of a run.
#pragma once

#include <cmath>
#include <numbers>

namespace spml {

struct LearningSchedule {
  bool cosine = false;  // falls to 0 along half a cosine; otherwise it stays
  double warmup = 0;    // the share of the run in which it rises from 0, from 0 to 1

  // progress: the share of the run that is done, from 0 to 1.
  double factor(double progress) const {
    if (progress < warmup) return progress / warmup;
    if (!cosine || warmup >= 1) return 1;
    return 0.5 + 0.5 * std::cos(std::numbers::pi * (progress - warmup) / (1 - warmup));
  }
};

}  // namespace spml
