// Progress and control of training, for whoever asked for it.
#pragma once

#include <functional>
#include <string>

#include "train/loop.h"

namespace spml {

// Any may be empty. `stop_requested` may be called from several threads at once.
struct RunEvents {
  std::function<void(const LoopState& state, uint64_t total_steps)> step;
  std::function<void(const EpochRecord& record)> epoch;
  std::function<void(const std::string& text)> notice;
  std::function<bool()> stop_requested;
};

}  // namespace spml
