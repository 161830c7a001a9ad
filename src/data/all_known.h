// Data of which every label is known.
#pragma once

#include "data/label_matrix.h"

namespace spml {

// Whether every label of every row is known, 1 or -1.
bool all_known(const LabelMatrix& observed);

}  // namespace spml
