// --shard-by rows: each process has rows of its own, with their features, labels and estimates.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fit/prepare.h"
#include "train/row_part.h"

namespace spml {

struct Dataset;
struct RunEvents;

// The rows of one process. Its data set has those alone; row 0 is row `part.first` of all.
struct RowShare {
  std::shared_ptr<const Dataset> whole;  // what `data` may point into
  std::shared_ptr<const Dataset> data;
  RowPart part;
  bool k_from_truth = false;  // k is the mean over all ranks' truth
};

// Of a folder that all processes see, each takes its share: neighbours together, as even as can be.
// With `is_apart` a process has its own rows in `data` already (--shard-data). Error where rows
// cannot be shared that way. `sync_every` is 1, a number or auto, which measures.
RowShare share_rows(const std::shared_ptr<const Dataset>& data, const TrainConfig& config,
                    Cluster& cluster, bool is_apart, int threads,
                    const std::function<void(const std::string& text)>& notice);

// The same for one of several processes that have rows of their own.
Prepared prepare_share(const RowShare& share, const TrainConfig& config);

}  // namespace spml
