// The line that docs/adding-a-loss.md adds to the table, for its example alone.
#pragma once

#include "loss/table.h"

namespace spml {

extern const LossInfo kBrier;

}  // namespace spml
