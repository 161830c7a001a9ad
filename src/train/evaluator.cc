#include "train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/all_finite.h"
#include "base/sigmoid.h"
#include "spml/metrics.h"

namespace spml {
namespace {

// Scores held at once, where the model can give some labels at a time.
constexpr size_t kBlockEntries = size_t{8} << 20;

// A sigmoid makes a number of any logit, also of one that is none.
void scores_of_logits(std::span<float> logits) {
  if (all_finite(logits)) {
    sigmoid_in_place(logits);
  } else {
    std::ranges::fill(logits, std::numeric_limits<float>::quiet_NaN());
  }
}

}  // namespace

Evaluator::Evaluator(Part part, std::span<const int32_t> rows, const LabelMatrix& labels,
                     int threads, std::optional<LabelPart> label_part, Cluster* others)
    : part_(part),
      rows_(rows),
      labels_(labels),
      threads_(threads),
      label_part_(label_part ? *label_part : all_labels(labels.cols())),
      others_(others) {}

void Evaluator::for_label_blocks(Model& model, const Block& body) const {
  const size_t n = rows_.size(), total = label_part_.count;
  if (total == 0) return;  // more processes than labels
  size_t block = total;
  const size_t all = others_ != nullptr ? count_rows(*others_, n).all : n;
  // What is brought together is there several times over for a moment.
  const size_t most = others_ != nullptr ? kBlockEntries / 8 : kBlockEntries;
  if (model.predicts_label_blocks()) block = std::clamp<size_t>(most / all, 1, total);
  std::vector<float> scores(n * block);
  std::vector<int8_t> labels(n * block);
  for (size_t first = 0; first < total; first += block) {
    const size_t count = std::min(block, total - first);
    const View<float> out{scores.data(), n, count};
    model.predict(part_, rows_, first, out);
    scores_of_logits(out.flat());
    for (size_t i = 0; i < n; ++i) {
      labels_.read_part(static_cast<size_t>(rows_[i]), label_part_.first + first,
                        {labels.data() + i * count, count});
    }
    if (others_ == nullptr) {
      body(first, out, {labels.data(), n, count});
      continue;
    }
    const auto score_rows = all_gather_rows<float>(others_, out);
    const auto label_rows =
        all_gather_rows<int8_t>(others_, View<const int8_t>{labels.data(), n, count});
    body(first, {score_rows.data(), all, count}, {label_rows.data(), all, count});
  }
}

Evaluation Evaluator::evaluate(Model& model) const {
  Evaluation result;
  MapResult& map = result.map;
  for_label_blocks(model, [&](size_t, View<const float> scores, View<const int8_t> labels) {
    if (all_finite(scores.flat())) {
      append(map, mean_average_precision(scores, labels, threads_));
      result.khat += expected_positives(scores);
    } else {  // nobody looks at its MAP
      const std::vector<float> none(scores.size());
      append(map,
             mean_average_precision({none.data(), scores.rows, scores.cols}, labels, threads_));
      result.khat = std::numeric_limits<double>::quiet_NaN();
    }
  });
  if (Cluster* const cluster = label_part_.cluster) {
    const size_t labels = label_part_.all;
    map.per_class_ap = all_gather<double>(*cluster, map.per_class_ap, labels);
    map.has_positive = all_gather<uint8_t>(*cluster, map.has_positive, labels);
    cluster->sum({&result.khat, 1});
  }
  summarise(map);
  return result;
}

}  // namespace spml
