// Linear training as one would write it in LibTorch: autograd, torch::optim::Adam, dense label
// estimates, features and labels preloaded and gathered by index_select. The trajectory test holds
// the trainer to it, and the benchmark times the two side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "spml/loss.h"

namespace spml {

struct TorchLoopSetup {
  View<const float> features;   // (N, D), borrowed
  View<const int8_t> observed;  // (N, L)
  View<const float> weight;     // (L, D): where to start
  std::span<const float> bias;  // (L)
  View<const float> estimates;  // (N, L): where to start; empty unless the loss uses estimates
  double lr = 1e-3;             // the estimates have estimate_lr_factor times this
  double k = 0;
  LossParameters params;  // every one of the loss
  int threads = 1;
};

class TorchLoop {
 public:
  // Losses: an, an-ls, epr, role.
  TorchLoop(std::string_view loss, const TorchLoopSetup& setup);
  ~TorchLoop();

  double step(std::span<const int32_t> rows);  // the loss before the update

  std::vector<float> weight() const;     // (L, D)
  std::vector<float> bias() const;       // (L)
  std::vector<float> estimates() const;  // (N, L)

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spml
