#include "data/all_known.h"

#include <algorithm>

namespace spml {

bool all_known(const LabelMatrix& observed) {
  std::vector<int8_t> row(observed.cols());
  for (size_t i = 0; i < observed.rows(); ++i) {
    observed.read_row(i, row);
    if (std::ranges::find(row, int8_t{0}) != row.end()) return false;
  }
  return true;
}

}  // namespace spml
