// Scores of a model on some rows against labels, without holding more scores than needed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "metrics/average_precision.h"
#include "train/label_part.h"
#include "train/model.h"
#include "train/row_part.h"

namespace spml {

struct Evaluation {
  MapResult map;
  double khat = 0;  // mean number of positives per row that the model predicts
};

class Evaluator {
 public:
  // `labels` > 0 are positive. The rows index both the labels and the part's examples.
  // Where `label_part` is given, the model has those labels only; results are of all labels, put
  // together from those of all processes. Where each process of `others` has rows of its own,
  // results are of all rows: scores and labels are brought together, features are not.
  Evaluator(Part part, std::span<const int32_t> rows, const LabelMatrix& labels, int threads,
            std::optional<LabelPart> label_part = {}, Cluster* others = nullptr);

  Evaluation evaluate(Model& model) const;

  // Calls body(first_label, probabilities (N, block), labels (N, block)) for blocks of labels that
  // together cover all of the model's, the first of which is 0.
  using Block = std::function<void(size_t, View<const float>, View<const int8_t>)>;
  void for_label_blocks(Model& model, const Block& body) const;

 private:
  Part part_;
  std::span<const int32_t> rows_;
  const LabelMatrix& labels_;
  int threads_;
  LabelPart label_part_;
  Cluster* others_;
};

}  // namespace spml
