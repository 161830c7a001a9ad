// Label estimates: a probability e = sigmoid(u) for each (training row, label), learned beside the
// classifier by losses such as ROLE. How the N x L logits u are represented is the estimator's own
// affair; rows are counted from 0 among the training rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/files.h"
#include "spml/view.h"

namespace spml {

struct LabelPart;
class SafetensorsFile;
class SafetensorsWriter;

class LabelEstimator {
 public:
  virtual ~LabelEstimator() = default;

  virtual size_t rows() const = 0;    // N
  virtual size_t labels() const = 0;  // L

  // A hint that fetch() will be called for these rows after this step.
  virtual void prefetch(std::span<const int32_t> rows) = 0;
  // The logits (B, L) of a batch of distinct rows as of now.
  virtual void fetch(std::span<const int32_t> rows, View<float> logits) = 0;
  // One Adam step from the gradient of the loss with respect to the logits just fetched. It may be
  // carried out together with the next fetch().
  virtual void apply(std::span<const int32_t> rows, View<const float> gradient) = 0;
  // sigmoid(u) as of now of the rows from first_row on, (rows, L).
  virtual void probabilities(size_t first_row, View<float> out) = 0;

  // Keeps aside what the estimates are now, those of the best epoch so far.
  virtual void keep_best() = 0;
  // Writes what was kept, after the last step: the probabilities as estimates.npy, or the
  // parameters that they follow from as estimator.safetensors.
  virtual void write_best(const Path& folder) = 0;

  // Everything a resumed run needs, after `step` steps. Spans handed to the writer stay valid until
  // the estimator is used again.
  virtual void save_state(SafetensorsWriter& out) = 0;
  virtual void load_state(const SafetensorsFile& in, uint64_t step) = 0;
  // What the file has of this estimator's labels; it was written by a process that had those of
  // `from`. Error where the estimates of a label depend on the others'.
  virtual void load_labels(const SafetensorsFile& in, uint64_t step, const LabelPart& from);
};

// Mean over all rows of the sum of the probabilities, read block by block.
double mean_positives(LabelEstimator& estimator);

}  // namespace spml
