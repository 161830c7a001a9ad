// Settings of short runs, which compare losses or estimate k before a whole run is trained.
#pragma once

#include <cstddef>

namespace spml {

// Epochs of a short run.
int screening_epochs(size_t train_rows, size_t batch);

// The step size for 25 epochs of `train_rows` where `lr` suits a few thousand rows: fewer rows make
// fewer steps, which have to be larger.
double step_size_for(double lr, size_t train_rows, size_t batch);

}  // namespace spml
