// Why a label is suggested: the most similar rows that are known to have it.
#pragma once

#include <vector>

#include "data/dataset.h"
#include "review/store/store.h"

namespace spml::review {

struct Neighbour {
  int32_t row = 0;
  float similarity = 0;  // cosine of the features
};

class Neighbours {
 public:
  // Both must outlive it; `data` has features.
  Neighbours(const Dataset& data, const LabelMatrix& observed);

  // At most `count` observed positives of the label, the most similar first, never the row itself.
  // If there are more than a few thousand positives, an even sample of them is compared.
  std::vector<Neighbour> nearest(Entry entry, size_t count) const;

 private:
  const Dataset& data_;
  std::vector<std::vector<int32_t>> positives_;  // of each label
};

}  // namespace spml::review
