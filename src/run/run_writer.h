// The folder of a run while it is trained: its configuration, epochs, checkpoints and outputs.
#pragma once

#include <chrono>
#include <fstream>

#include "fit/decisions.h"
#include "run/checkpoint.h"
#include "run/run_options.h"

namespace spml {

// What config.json says of a session.
RunSetup setup_of(const Session& session, const RunIdentity& identity);

class RunWriter {
 public:
  // Everything must outlive the writer.
  RunWriter(const RunFolder& folder, Session& session, const RunIdentity& identity,
            const RunOptions& options, const RunEvents& events);

  // Clears what is to be overwritten, or brings the session to where the checkpoint left it, and
  // writes config.json.
  void begin();
  // Checkpoints, the lines of metrics.jsonl, and the owner's events.
  LoopEvents loop_events();
  // Model, calibration, thresholds and label estimates. The model is the session's, or one that was
  // fitted again.
  void write_model(Model& model, const Decisions& decisions);
  // result.json, which makes the run a finished one.
  RunRecord finish(RunResult result);

 private:
  void resume_if_possible();
  void tell_of_other_parts() const;
  bool checkpoint_due(const LoopState& state);
  bool checkpoint_due_here(const LoopState& state);
  bool agreed_checkpoint_due(const LoopState& state);
  Trainee trainee();
  std::vector<int32_t> all_train_rows() const;
  void checkpoint();
  void append_metrics(const EpochRecord& record);
  void write_metrics();

  using Clock = std::chrono::steady_clock;

  RunFolder folder_;
  Cluster* cluster_;
  bool is_first_;  // writes the files that are the run's and not a rank's
  bool is_copy_;   // of what rank 0 has: another rank, of a network
  Session& session_;
  const RunOptions& options_;
  const RunEvents& events_;
  RunSetup setup_;
  uint64_t resumed_from_step_ = 0;
  Clock::time_point last_checkpoint_ = Clock::now();
  double checkpoint_cost_ = 0;  // seconds that the last one took
  uint64_t last_checkpoint_step_ = 0;
  uint64_t last_agreed_step_ = 0;
  uint64_t next_agreement_ = 0;  // step at which the ranks agree on checkpoints again
  Clock::time_point last_agreement_ = Clock::now();
  bool stopping_ = false;  // asked to stop, and the checkpoint is written
  std::ofstream metrics_;
};

}  // namespace spml
