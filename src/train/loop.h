// The training loop, the same for every model and every loss: batches, one step each, validation
// after every epoch, the best epoch kept.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "spml/loss.h"
#include "spml/result.h"
#include "train/estimator.h"
#include "train/evaluator.h"
#include "train/label_memory.h"
#include "train/model.h"
#include "train/row_part.h"
#include "train/training_labels.h"

namespace spml {

struct LoopPlan {
  std::span<const int32_t> rows;  // the training rows here, of the training file
  size_t batch = 16;
  int epochs = 25;
  int patience = 0;        // stop after so many epochs without a better one; 0 = never
  double min_delta = 0;    // better: a validation MAP that is higher by more than this
  bool keep_last = false;  // the last epoch's model, whatever validation says
  uint64_t seed = 0;
  Cluster* cluster = nullptr;  // of the processes that share the work; null: alone
  // Where each has rows of its own: of all training rows, `first_row` come before those here.
  RowPart row_part = {};
  size_t first_row = 0, rows_in_all = 0;
  uint64_t local_steps = 0;  // an epoch's, of every process alike, where it takes steps of its own
  uint64_t steps_per_epoch() const {
    if (row_part.has_local_steps()) return local_steps;
    return (row_part.is_split() ? rows_in_all : rows.size()) / batch;
  }
};

// Where the loop stands: with the model's and the estimator's state, all that a checkpoint holds.
struct LoopState {
  uint64_t step = 0;    // steps taken
  double loss_sum = 0;  // of the steps of the running epoch; this process's part of it
  int best_epoch = 0;   // 0 = none yet
  double best_val_map = 0;
  double train_seconds = 0;
  double epoch_seconds = 0;  // of the running epoch
  std::vector<EpochRecord> epochs;
};

// What the loop tells its owner. Any may be empty.
struct LoopEvents {
  std::function<void(const LoopState&)> after_step;  // may throw to stop
  std::function<bool(const LoopState&)> checkpoint_due;
  std::function<void(const LoopState&)> checkpoint;
  std::function<void(EpochRecord&)> after_epoch;  // the record of the epoch may be added to
  // Between parts of what takes long and has no steps; may throw to stop.
  std::function<void()> between_parts;
};

// Events of work that ends once `requested`, which may be empty, says so: with an interruption in
// these words.
LoopEvents until(const std::function<bool()>& requested, const std::string& words);

class Loop {
 public:
  // `estimator` is null unless the loss uses estimates, `memory` unless it keeps something.
  // Everything must outlive the loop.
  Loop(const LoopPlan& plan, const Loss& loss, Model& model, LabelEstimator* estimator,
       TrainingLabels& labels, const Evaluator& validation, LabelMemory* memory = nullptr);

  LoopState& state() { return state_; }
  uint64_t steps_per_epoch() const { return plan_.steps_per_epoch(); }

  // Trains from the present state to the end; the model then has the weights of the best epoch.
  void run(const LoopEvents& events);

 private:
  void begin_epoch(int epoch);
  // Of rows in the order of this epoch, those here.
  std::span<const int32_t> rows_here(std::span<const int32_t> rows, std::vector<int32_t>& buffer);
  double step(std::span<const int32_t> local_rows, std::span<const int32_t> later_rows, int epoch);
  // Whether all processes have the same model after this step.
  bool in_step(uint64_t end) const;
  void sum_over_processes(EpochRecord& record);
  void prefetch(std::span<const int32_t> local_rows);
  void end_epoch(int epoch);
  bool out_of_patience() const;
  void check_state() const;
  [[noreturn]] void fail_diverged(const std::string& what, int epoch) const;

  LoopPlan plan_;
  const Loss& loss_;
  Model& model_;
  LabelEstimator* estimator_;
  TrainingLabels& labels_;
  const Evaluator& validation_;
  LabelMemory* memory_;
  LoopState state_;

  // Buffers of a step, allocated once.
  std::vector<int32_t> order_;  // training rows (0 .. N-1) in the order of this epoch
  std::vector<int32_t> file_rows_, next_rows_;                       // (B)
  std::vector<int32_t> here_, later_here_, global_rows_;             // (B), where others have rows
  std::vector<int8_t> observed_;                                     // (B, L)
  AlignedVector<float> estimates_, dlogits_, destimates_, scratch_;  // (B, L)
};

}  // namespace spml
