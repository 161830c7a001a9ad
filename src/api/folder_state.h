// What stands behind a DataFolder.
#pragma once

#include <mutex>

#include "data/dataset.h"

namespace spml {

// Labels that can be viewed as int8: where they lie, or a copy made when they are first asked for.
class ViewableLabels {
 public:
  View<const int8_t> view(const LabelMatrix& labels) const;

 private:
  mutable std::once_flag once_;
  mutable std::vector<int8_t> converted_;
};

struct FolderState {
  Dataset data;
  ViewableLabels truth[2], observed[2];  // of the training file and of test

  const DataPart& part(size_t index) const { return index == 0 ? data.train_file : data.test; }
};

}  // namespace spml
