// What a search tries. docs/choosing.md says how the list was chosen.
#pragma once

#include <vector>

#include "settings/config.h"

namespace spml {

// The settings a search starts from, best known first, given the number of training rows. Settings
// of `base` that are not searched (seed, split, observed labels, k ...) stay as they are.
std::vector<TrainConfig> screening_candidates(const TrainConfig& base, size_t train_rows);

}  // namespace spml
