// What the training loop knows of a classifier. The linear model and the fine-tuned network
// implement it; the loop, selection, checkpoints and metrics are shared.
#pragma once

#include <cstdint>
#include <span>

#include "spml/view.h"

namespace spml {

struct LabelPart;
class SafetensorsFile;
class SafetensorsWriter;

// The two files of a data folder.
enum class Part { kTrainFile, kTest };

class Model {
 public:
  virtual ~Model() = default;

  // Logits (B, L) of rows of the training file, in training mode. Valid until the next call.
  virtual View<const float> forward(std::span<const int32_t> rows) = 0;
  // Before a step: the share of the run that is done in the middle of it, for models whose learning
  // rate depends on it.
  virtual void set_progress(double) {}
  // A hint that forward() will be called for these rows after this step.
  virtual void prefetch(std::span<const int32_t> rows) = 0;
  // One optimiser step from the gradient of the loss with respect to those logits. The step may be
  // carried out together with the next forward().
  virtual void backward(View<const float> dlogits) = 0;
  // Carries out what backward() left pending.
  virtual void finish_step() = 0;
  // Where each process has rows of its own and takes local steps: weights and moments become the
  // mean of all processes'. Otherwise nothing happens.
  virtual void average_over_ranks() {}

  // Logits of any rows in evaluation mode, for labels first_label .. first_label + out.cols.
  virtual void predict(Part part, std::span<const int32_t> rows, size_t first_label,
                       View<float> out) = 0;
  // Whether predict() can be asked for some of the labels at no loss.
  virtual bool predicts_label_blocks() const = 0;

  // The weights of the best epoch are kept aside and brought back at the end.
  virtual void keep_best() = 0;
  virtual void restore_best() = 0;

  // Everything a resumed run needs: weights, optimiser state and the best weights. Spans handed to
  // the writer stay valid until the model is used again.
  virtual void save_state(SafetensorsWriter& out) = 0;
  virtual void load_state(const SafetensorsFile& in) = 0;
  // What the file has of this model's labels; it was written by a process that had those of `from`.
  // Error for a model that is not split by labels.
  virtual void load_labels(const SafetensorsFile& in, const LabelPart& from);
  // The tensors of model.safetensors.
  virtual void save_model(SafetensorsWriter& out) = 0;
};

}  // namespace spml
