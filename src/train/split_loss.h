// A loss on some of the labels, whose other labels other processes have. What it needs of them is
// in its row of the table (RowNeed).
#pragma once

#include <memory>
#include <vector>

#include "base/aligned.h"
#include "loss/info.h"
#include "train/label_part.h"
#include "train/row_part.h"

namespace spml {

// `loss` is made for all labels; what this returns takes and gives the columns of `part`, and its
// values add up to that of the whole. Error where the loss cannot be split.
std::shared_ptr<const Loss> split_loss(std::shared_ptr<const Loss> loss, const LossInfo& info,
                                       const LabelPart& part);

// The same where each rank has some rows of a batch of `batch`, with all their labels. With local
// steps the loss stays as it is.
std::shared_ptr<const Loss> split_loss(std::shared_ptr<const Loss> loss, const LossInfo& info,
                                       const RowPart& part, size_t batch, size_t labels);

}  // namespace spml
