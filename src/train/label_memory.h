// What a loss keeps of the training labels from step to step (LossMemory): labels it has changed,
// soft labels, class priors. The loss proposes, this applies; checkpoints hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "spml/loss.h"
#include "train/evaluator.h"
#include "train/training_labels.h"

namespace spml {

class SafetensorsFile;
class SafetensorsWriter;

class LabelMemory {
 public:
  // `rows` of the training file, which with `observed` must outlive this object.
  LabelMemory(const LossMemory& needs, const LabelMatrix& observed, TrainingLabels& start,
              std::span<const int32_t> rows, int threads,
              const MemoryBudget& budget = {},  // Error when it needs more
              std::optional<LabelPart> part = {});

  // Fills in what the loss is given of a batch of training rows (0 .. N-1): `observed` (B, L) where
  // labels may have changed, soft labels and priors. Valid until the next call.
  void fetch(std::span<const int32_t> batch, View<int8_t> observed, LossInput& in, LossOutput& out);
  // Keeps what the loss has relabelled in the batch just fetched.
  void apply(std::span<const int32_t> batch);
  // Shows the loss every label with the model's scores after an epoch.
  void review(const Loss& loss, Model& model, int epoch, int epochs);

  // Spans handed to the writer stay valid until the memory is used again.
  void save_state(SafetensorsWriter& out);
  void load_state(const SafetensorsFile& in);
  // What the file has of this part's labels; it was written by a process that had those of `from`.
  void load_labels(const SafetensorsFile& in, const LabelPart& from);

  std::span<const int8_t> labels() const { return labels_; }    // (N, L), empty unless kept
  std::span<const float> soft_labels() const { return soft_; }  // (N, L), empty unless kept
  std::span<const float> priors() const { return priors_; }     // (L), empty unless kept

 private:
  LossMemory needs_;
  LabelPart part_;
  size_t columns_, rows_;
  Evaluator scores_;  // of all training rows
  std::vector<int8_t> labels_, relabelled_;
  std::vector<float> soft_, batch_soft_, priors_, observed_shares_;
};

}  // namespace spml
