// Adam on all parameters at every step, written plainly in double precision.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "train/adam.h"

namespace spml {

class DenseAdam {
 public:
  DenseAdam(const AdamConfig& config, std::vector<double> start)
      : config_(config), u_(std::move(start)), m_(u_.size()), v_(u_.size()) {}

  void step(const std::vector<double>& gradient) {
    ++t_;
    const double c1 = 1 - std::pow(config_.beta1, t_), c2 = 1 - std::pow(config_.beta2, t_);
    for (size_t i = 0; i < u_.size(); ++i) {
      m_[i] = config_.beta1 * m_[i] + (1 - config_.beta1) * gradient[i];
      v_[i] = config_.beta2 * v_[i] + (1 - config_.beta2) * gradient[i] * gradient[i];
      u_[i] -= config_.lr * (m_[i] / c1) / (std::sqrt(v_[i] / c2) + config_.eps);
    }
  }
  const std::vector<double>& values() const { return u_; }

 private:
  AdamConfig config_;
  std::vector<double> u_, m_, v_;
  int t_ = 0;
};

}  // namespace spml
