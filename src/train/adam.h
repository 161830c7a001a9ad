// Adam (Kingma and Ba, 2015) as PyTorch defines it: bias-corrected, weight decay added to the
// gradient. Written for kernels that update many parameters with the same few constants.
#pragma once

#include <cmath>
#include <cstdint>

namespace spml {

struct AdamConfig {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double decay = 0;  // of the weights
};

// The constants of step t (from 1). With them
//   g += decay w;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   w -= rate m / (sqrt(v) + eps)
// equals w -= lr mhat / (sqrt(vhat) + eps'), because both sides are scaled by sqrt(1 - beta2^t).
// The rule is stated twice, for a number below and for a SIMD vector in adam-inl.h; networks on
// cards have it as operations on tensors (libtorch/torch_network.cc).
struct AdamStep {
  float beta1, one_minus_beta1, beta2, one_minus_beta2, rate, eps, decay;

  AdamStep(const AdamConfig& config, uint64_t t) {
    const double correction1 = 1 - std::pow(config.beta1, static_cast<double>(t));
    const double correction2 = std::sqrt(1 - std::pow(config.beta2, static_cast<double>(t)));
    beta1 = static_cast<float>(config.beta1);
    one_minus_beta1 = static_cast<float>(1 - config.beta1);
    beta2 = static_cast<float>(config.beta2);
    one_minus_beta2 = static_cast<float>(1 - config.beta2);
    rate = static_cast<float>(config.lr * correction2 / correction1);
    eps = static_cast<float>(config.eps * correction2);
    decay = static_cast<float>(config.decay);
  }
};

// One parameter with its moments. g has weight decay in it, where there is any.
inline void adam_update(const AdamStep& k, float g, float& w, float& m, float& v) {
  m = k.beta1 * m + k.one_minus_beta1 * g;
  v = k.beta2 * v + k.one_minus_beta2 * g * g;
  w -= k.rate * m / (std::sqrt(v) + k.eps);
}

}  // namespace spml
