// An independent implementation of every loss, by autograd in double precision.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "spml/loss.h"

namespace spml {

struct OracleInput {
  int64_t B = 0, L = 0;
  std::vector<double> z, u;      // (B, L)
  std::vector<double> observed;  // (B, L): +1, 0, -1
  std::vector<double> sampled;   // (B, L): 1 at the negatives that wan-sampled drew
  std::vector<double> soft;      // (B, L): soft labels, negative where there is none
  std::vector<double> priors;    // (L)
  std::vector<double> shares;    // (L): of the training rows, observed positive
  double k = 0;
  double epoch = 1, epochs = 1;
  LossParameters params;  // every one of the loss
};

struct OracleResult {
  double value = 0;
  std::vector<double> dz, du;
};

// nullopt when nobody has written the loss down here.
std::optional<OracleResult> torch_oracle(std::string_view loss, OracleInput input);

}  // namespace spml
