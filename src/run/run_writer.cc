#include "run/run_writer.h"

#include <algorithm>
#include <array>

#include "base/all_finite.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/folders.h"
#include "fit/measure.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "spml/version.h"

namespace spml {
RunSetup setup_of(const Session& session, const RunIdentity& identity) {
  const Dataset& data = session.data;
  RunSetup setup;
  setup.version = kVersion;
  if (!data.folder.empty()) {  // else it was made in memory
    setup.data = absolute_path(data.folder).string();
  }
  setup.data_name = data.name;
  setup.identity = identity;
  setup.k = session.prepared.k;
  setup.k_from = session.prepared.k_from;
  setup.params = session.params;
  setup.select = session.prepared.select;
  setup.rows = {session.prepared.split.train.size(), session.prepared.split.val.size(),
                data.test.rows()};
  if (Cluster* const cluster = session.row_part.cluster) {
    setup.rows = {count_rows(*cluster, setup.rows.train).all,
                  count_rows(*cluster, setup.rows.val).all,
                  count_rows(*cluster, setup.rows.test).all};
  }
  setup.features = data.train_file.features.cols();
  setup.extraction = data.extraction;
  setup.classes = data.classes;
  setup.machine = this_machine();
  setup.threads = session.threads;
  return setup;
}

RunWriter::RunWriter(const RunFolder& folder, Session& session, const RunIdentity& identity,
                     const RunOptions& options, const RunEvents& events)
    : folder_(folder),
      cluster_(options.cluster),
      is_first_(is_first_of(cluster_)),
      is_copy_(!is_first_ && session.batch_cluster != nullptr),
      session_(session),
      options_(options),
      events_(events),
      setup_(setup_of(session, identity)) {
  setup_.search = options.search;
  if (cluster_ != nullptr && cluster_->size() > 1) setup_.ranks = cluster_->size();
}

void RunWriter::begin() {
  for (const std::string& notice : session_.prepared.notices) {
    if (events_.notice) events_.notice(notice);
  }
  if (options_.existing == Existing::kOverwrite && is_first_) clear_run(folder_);
  if (cluster_ != nullptr) cluster_->wait_for_all();
  if (is_first_) remove_file(folder_.result());  // it is not finished from here on
  resume_if_possible();
  if (is_first_) write_file(folder_.config(), json_text(setup_));
}

void RunWriter::resume_if_possible() {
  if (load_checkpoint(folder_, setup_.identity, trainee())) {
    resumed_from_step_ = last_checkpoint_step_ = session_.loop.state().step;
    if (events_.notice) events_.notice(fmt::format("resuming from step {}", resumed_from_step_));
    tell_of_other_parts();
  }
  if (cluster_ != nullptr) {
    expect_same(*cluster_, "step to go on from", std::to_string(resumed_from_step_));
  }
  if (!is_first_) return;
  write_metrics();  // lines of epochs after the checkpoint will be written again
  metrics_.open(folder_.metrics(), std::ios::app);
}

// The statistics of batch normalisation are those of a rank's part of a batch.
void RunWriter::tell_of_other_parts() const {
  if (session_.config.mode == Mode::kLinear || !is_first_ || !path_exists(folder_.config())) return;
  const int before = read_run_setup(folder_.config()).ranks.value_or(1);
  const int now = setup_.ranks.value_or(1);
  if (before == now || !events_.notice) return;
  events_.notice(
      fmt::format("ranks: {} so far, {} now; from here on batches have other parts, as with "
                  "another --accumulate",
                  before, now));
}

// All epochs so far, durably.
void RunWriter::write_metrics() {
  std::string lines;
  for (const EpochRecord& record : session_.loop.state().epochs) lines += json_text(record) + "\n";
  write_file(folder_.metrics(), lines);
}

void RunWriter::append_metrics(const EpochRecord& record) {
  metrics_ << json_text(record) << std::endl;
  if (!metrics_) fail("{}: cannot write; is the disk full?", folder_.metrics().string());
}

LoopEvents RunWriter::loop_events() {
  const uint64_t total = session_.total_steps();
  LoopEvents events;
  events.checkpoint_due = [this](const LoopState& state) { return checkpoint_due(state); };
  events.checkpoint = [this](const LoopState&) { checkpoint(); };
  events.after_step = [this, total](const LoopState& state) {
    if (events_.step) events_.step(state, total);
    if (stopping_) {
      throw Error(fmt::format("stopped after step {}; {} can be continued with --resume",
                              state.step, folder_.path.string()),
                  Error::Kind::kInterrupted);
    }
  };
  const std::string words =
      fmt::format("stopped; start {} again with --resume", folder_.path.string());
  events.between_parts = until(events_.stop_requested, words).between_parts;
  events.after_epoch = [this](EpochRecord& record) {
    add_to_record(session_, record);
    if (is_first_) append_metrics(record);
    if (events_.epoch) events_.epoch(record);
  };
  return events;
}

// Rank 0 decides for all: now and then, because asking takes time, but soon enough for Ctrl-C.
bool RunWriter::agreed_checkpoint_due(const LoopState& state) {
  constexpr double kSeconds = 0.2;  // between two agreements
  const uint64_t every = options_.checkpoint_every;
  const bool due = every > 0 && state.step / every > last_checkpoint_step_ / every;
  if (state.step < next_agreement_ && !due) return false;
  // Whether it is due, whether to stop, and in how many steps to agree again.
  std::array<double, 3> word{};
  if (is_first_) {
    word[0] = checkpoint_due_here(state) ? 1 : 0;
    word[1] = stopping_ ? 1 : 0;
    const double steps = std::max(1.0, static_cast<double>(state.step - last_agreed_step_));
    const double seconds = std::max(seconds_since(last_agreement_) / steps, 1e-9);
    word[2] = std::clamp(kSeconds / seconds, 1.0, 1e6);
    last_agreement_ = Clock::now();
    last_agreed_step_ = state.step;
  }
  cluster_->sum(word);
  stopping_ = word[1] > 0;
  next_agreement_ = state.step + static_cast<uint64_t>(word[2]);
  return due || word[0] > 0;
}

bool RunWriter::checkpoint_due(const LoopState& state) {
  return cluster_ != nullptr ? agreed_checkpoint_due(state) : checkpoint_due_here(state);
}

bool RunWriter::checkpoint_due_here(const LoopState& state) {
  stopping_ = events_.stop_requested && events_.stop_requested();
  if (stopping_) return true;
  const uint64_t every = options_.checkpoint_every;
  if (every > 0) return state.step / every > last_checkpoint_step_ / every;
  // A large state on a slow disk may not take more than a twentieth of the time.
  const double interval = std::max(options_.checkpoint_seconds, 20 * checkpoint_cost_);
  return seconds_since(last_checkpoint_) >= interval;
}

Trainee RunWriter::trainee() {
  return {session_.loop.state(), *session_.model, session_.estimator.get(),
          session_.memory.get(), session_.part,   session_.row_part};
}

void RunWriter::checkpoint() {
  const auto begin = Clock::now();
  if (cluster_ != nullptr && session_.batch_cluster == nullptr) {
    // What all have summed up so far is rank 0's.
    double& sum = session_.loop.state().loss_sum;
    cluster_->sum({&sum, 1});
    if (!is_first_) sum = 0;
  }
  if (!is_copy_) save_checkpoint(folder_, setup_.identity, trainee());
  if (session_.batch_cluster != nullptr) session_.batch_cluster->barrier();
  checkpoint_cost_ = seconds_since(begin);
  last_checkpoint_ = Clock::now();
  last_checkpoint_step_ = session_.loop.state().step;
}

// Of the training file, or of all ranks' training files one after the other.
std::vector<int32_t> RunWriter::all_train_rows() const {
  std::vector<int32_t> rows = session_.prepared.split.train;
  const RowPart& part = session_.row_part;
  if (!part.is_split()) return rows;
  for (int32_t& row : rows) row += static_cast<int32_t>(part.first);
  const size_t all = count_rows(*part.cluster, rows.size()).all;
  return gather<int32_t>(*part.cluster, std::span<const int32_t>(rows), all);
}

void RunWriter::write_model(Model& model, const Decisions& decisions) {
  if (is_copy_) return;
  SafetensorsWriter writer;
  model.save_model(writer);
  writer.expect_finite(folder_.model());  // before anything is written
  if (!all_finite(decisions.thresholds)) {
    fail("{}: expected finite thresholds to write, found others", folder_.thresholds().string());
  }
  if (session_.estimator != nullptr) session_.estimator->write_best(folder_.path);
  const std::vector<int32_t> train_rows = all_train_rows();
  if (!is_first_) return;
  writer.add_metadata("format", "spml");
  writer.add_metadata("loss", session_.config.loss);
  writer.write(folder_.model());
  write_calibration(folder_.calibration(), decisions.calibration);
  const std::vector<float>& thresholds = decisions.thresholds;
  write_npy(folder_.thresholds(), View<const float>{thresholds.data(), 1, thresholds.size()});
  if (session_.estimator != nullptr) {
    write_npy(folder_.train_rows(), std::span<const int32_t>(train_rows));
  }
  metrics_.close();
  write_metrics();
}

RunRecord RunWriter::finish(RunResult result) {
  result.resumed_from_step = resumed_from_step_;
  if (is_first_) {
    write_file(folder_.result(), json_text(result));
    remove_checkpoints(folder_);
  }
  return {std::move(setup_), session_.loop.state().epochs, std::move(result)};
}

}  // namespace spml
