#include "train/label_memory.h"

#include <algorithm>

#include "base/fail.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

// Column j of a matrix of `columns` columns, out and back.
template <class T>
void gather(const std::vector<T>& matrix, size_t columns, size_t j, std::vector<T>& column) {
  column.resize(matrix.size() / columns);
  for (size_t i = 0; i < column.size(); ++i) column[i] = matrix[i * columns + j];
}

template <class T>
void scatter(const std::vector<T>& column, size_t columns, size_t j, std::vector<T>& matrix) {
  for (size_t i = 0; i < column.size(); ++i) matrix[i * columns + j] = column[i];
}

}  // namespace

LabelMemory::LabelMemory(const LossMemory& needs, const LabelMatrix& observed,
                         TrainingLabels& start, std::span<const int32_t> rows, int threads,
                         const MemoryBudget& budget, std::optional<LabelPart> part)
    : needs_(needs),
      part_(part ? *part : all_labels(start.labels())),
      columns_(start.labels()),
      rows_(rows.size()),
      scores_(Part::kTrainFile, rows, observed, threads, part_) {
  const uint64_t entry =
      (needs.labels ? sizeof(int8_t) : 0) + (needs.soft_labels ? sizeof(float) : 0);
  budget.require(saturating_product(rows.size(), columns_, entry),
                 fmt::format("the {} x {} labels that the loss remembers", rows.size(), columns_));
  if (needs.labels) labels_.resize(rows.size() * columns_);
  if (needs.soft_labels) soft_.assign(rows.size() * columns_, -1.0f);
  if (needs.priors) priors_.resize(columns_);
  if (!needs.labels && !needs.priors) return;
  std::vector<int8_t> row(columns_);
  std::vector<size_t> positives(columns_);
  for (size_t i = 0; i < rows.size(); ++i) {
    start.read_row(static_cast<size_t>(rows[i]), row);
    for (size_t j = 0; j < columns_; ++j) positives[j] += row[j] > 0;
    if (needs.labels) std::copy(row.begin(), row.end(), labels_.data() + i * columns_);
  }
  for (size_t j = 0; j < priors_.size(); ++j) {
    priors_[j] = static_cast<float>(positives[j]) / static_cast<float>(rows.size());
  }
  observed_shares_ = priors_;
}

void LabelMemory::fetch(std::span<const int32_t> batch, View<int8_t> observed, LossInput& in,
                        LossOutput& out) {
  const size_t B = batch.size();
  if (needs_.labels) {
    for (size_t b = 0; b < B; ++b) {
      std::copy_n(labels_.data() + static_cast<size_t>(batch[b]) * columns_, columns_,
                  observed.row(b));
    }
    relabelled_.assign(observed.data, observed.data + observed.size());
    out.relabelled = {relabelled_.data(), B, columns_};
  }
  if (needs_.soft_labels) {
    batch_soft_.resize(B * columns_);
    for (size_t b = 0; b < B; ++b) {
      std::copy_n(soft_.data() + static_cast<size_t>(batch[b]) * columns_, columns_,
                  batch_soft_.data() + b * columns_);
    }
    in.soft_labels = {batch_soft_.data(), B, columns_};
  }
  in.class_priors = priors_;
  in.observed_shares = observed_shares_;
}

void LabelMemory::apply(std::span<const int32_t> batch) {
  if (!needs_.labels) return;
  for (size_t b = 0; b < batch.size(); ++b) {
    std::copy_n(relabelled_.data() + b * columns_, columns_,
                labels_.data() + static_cast<size_t>(batch[b]) * columns_);
  }
}

void LabelMemory::review(const Loss& loss, Model& model, int epoch, int epochs) {
  if (!needs_.reviews) return;
  std::vector<float> probabilities, soft;
  std::vector<int8_t> observed, labels;
  scores_.for_label_blocks(model, [&](size_t first, View<const float> p, View<const int8_t> o) {
    probabilities.resize(p.rows);
    observed.resize(p.rows);
    for (size_t j = 0; j < p.cols; ++j) {
      for (size_t i = 0; i < p.rows; ++i) {
        probabilities[i] = p(i, j);
        observed[i] = o(i, j);
      }
      const size_t label = first + j;
      LabelReview seen;
      seen.epoch = epoch;
      seen.epochs = epochs;
      seen.probabilities = probabilities;
      seen.observed = observed;
      gather(labels_, columns_, label, labels);
      gather(soft_, columns_, label, soft);
      seen.labels = labels;
      seen.soft_labels = soft;
      if (needs_.priors) seen.prior = std::span(priors_).subspan(label, 1);
      loss.review(seen);
      scatter(labels, columns_, label, labels_);
      scatter(soft, columns_, label, soft_);
    }
  });
}

void LabelMemory::save_state(SafetensorsWriter& out) {
  if (needs_.labels) {
    out.add("memory.labels", "I8", {labels_.size()}, std::as_bytes(std::span(labels_)));
  }
  if (needs_.soft_labels) out.add("memory.soft_labels", {soft_.size()}, soft_);
  if (needs_.priors) out.add("memory.priors", {priors_.size()}, priors_);
}

void LabelMemory::load_state(const SafetensorsFile& in) { load_labels(in, part_); }

void LabelMemory::load_labels(const SafetensorsFile& in, const LabelPart& from) {
  const auto load = [&](const char* name, auto& values, size_t rows) {
    if (values.empty()) return;
    const size_t size = saturating_product(rows, from.count, sizeof values[0]);
    copy_labels(tensor_bytes(in, name, size).data(), from, values.data(), part_, rows, 1);
  };
  load("memory.labels", labels_, rows_);
  load("memory.soft_labels", soft_, rows_);
  load("memory.priors", priors_, 1);
  const bool legal = std::ranges::all_of(labels_, [](int8_t y) { return y >= -1 && y <= 1; }) &&
                     std::ranges::all_of(soft_, [](float p) { return p >= -1 && p <= 1; }) &&
                     std::ranges::all_of(priors_, [](float p) { return p >= 0 && p <= 1; });
  if (legal) return;
  fail(
      "{}: expected labels of -1, 0 or 1 and probabilities, found others; start again with "
      "--overwrite",
      in.path().string());
}

}  // namespace spml
