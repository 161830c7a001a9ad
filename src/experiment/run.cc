#include "experiment/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/fail.h"
#include "base/sha256.h"
#include "experiment/checkpoint.h"
#include "experiment/machine.h"
#include "experiment/sweep.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "spml/version.h"

namespace spml {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr size_t kHistogramBins = 50;

// A session and the folder it is written to.
class Run {
 public:
  Run(const Dataset& data, const TrainConfig& config, Json identity, const RunOptions& options,
      const RunEvents& events);
  Json execute();

 private:
  void write_config() const;
  void resume_if_possible();
  LoopEvents loop_events();
  bool checkpoint_due(const LoopState& state);
  Trainee trainee();
  void checkpoint();
  std::vector<uint32_t> histogram_of_unobserved_positives();
  void append_metrics(const EpochRecord& record);
  void write_metrics();
  RunResult measure();
  Json write_outputs(RunResult result);

  Clock::time_point start_ = Clock::now();
  RunOptions options_;
  const RunEvents& events_;
  RunFolder folder_;
  Session session_;
  Json identity_;  // what a checkpoint must agree with
  uint64_t resumed_from_step_ = 0;
  Clock::time_point last_checkpoint_ = Clock::now();
  double checkpoint_cost_ = 0;  // seconds that the last one took
  bool stopping_ = false;       // asked to stop, and the checkpoint is written
  std::ofstream metrics_;
};

Run::Run(const Dataset& data, const TrainConfig& config, Json identity, const RunOptions& options,
         const RunEvents& events)
    : options_(options),
      events_(events),
      folder_{options.out},
      session_(data, config, options.threads, options.make_image_model, options.linear_run),
      identity_(std::move(identity)) {}

Json Run::execute() {
  for (const std::string& notice : session_.prepared.notices) {
    if (events_.notice) events_.notice(notice);
  }
  if (options_.existing == Existing::kOverwrite) clear_run(folder_);
  resume_if_possible();
  write_config();
  session_.loop.run(loop_events());
  return write_outputs(measure());
}

void Run::write_config() const {
  Json json;
  json["version"] = kVersion;
  json["data"] = std::filesystem::absolute(session_.data.folder).lexically_normal().string();
  json["data_name"] = session_.data.name;
  json["config"] = identity_;
  json["k"] = session_.prepared.k ? Json(*session_.prepared.k) : Json();
  json["params"] = Json::object();
  for (const auto& [name, value] : session_.params) json["params"][name] = value;
  json["select"] = to_string(session_.prepared.select);
  json["rows"] = {{"train", session_.prepared.split.train.size()},
                  {"val", session_.prepared.split.val.size()},
                  {"test", session_.data.test.rows()}};
  json["features"] = session_.data.train_file.features.cols();
  const auto& extraction = session_.data.extraction;
  json["extraction"] = extraction ? to_json(*extraction) : Json();  // of the features
  json["classes"] = session_.data.classes;
  json["machine"] = describe_machine();
  json["threads"] = options_.threads;
  write_file(folder_.config(), json.dump(2) + "\n");
}

void Run::resume_if_possible() {
  if (std::filesystem::exists(folder_.checkpoint())) {
    load_checkpoint(folder_.checkpoint(), identity_, trainee());
    resumed_from_step_ = session_.loop.state().step;
    if (events_.notice) events_.notice(fmt::format("resuming from step {}", resumed_from_step_));
  }
  write_metrics();  // lines of epochs after the checkpoint will be written again
  metrics_.open(folder_.metrics(), std::ios::app);
}

// All epochs so far, durably.
void Run::write_metrics() {
  std::string lines;
  for (const EpochRecord& record : session_.loop.state().epochs) {
    lines += to_json(record).dump() + "\n";
  }
  write_file(folder_.metrics(), lines);
}

void Run::append_metrics(const EpochRecord& record) {
  metrics_ << to_json(record).dump() << std::endl;
  if (!metrics_) fail("{}: cannot write; is the disk full?", folder_.metrics().string());
}

LoopEvents Run::loop_events() {
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
  events.after_epoch = [this](EpochRecord& record) {
    if (session_.config.record_unobserved_positives) {
      record.unobserved_positives = histogram_of_unobserved_positives();
    }
    append_metrics(record);
    if (events_.epoch) events_.epoch(record);
  };
  return events;
}

bool Run::checkpoint_due(const LoopState& state) {
  stopping_ = events_.stop_requested && events_.stop_requested();
  if (stopping_) return true;
  if (options_.checkpoint_every > 0) return state.step % options_.checkpoint_every == 0;
  // A large state on a slow disk may not take more than a twentieth of the time.
  const double interval = std::max(options_.checkpoint_seconds, 20 * checkpoint_cost_);
  return seconds_since(last_checkpoint_) >= interval;
}

Trainee Run::trainee() {
  return {session_.loop.state(), *session_.model, session_.estimator.get(), session_.memory.get()};
}

void Run::checkpoint() {
  const auto begin = Clock::now();
  save_checkpoint(folder_.checkpoint(), identity_, trainee());
  checkpoint_cost_ = seconds_since(begin);
  last_checkpoint_ = Clock::now();
}

// Predicted probabilities of the training rows' positives that were not observed.
std::vector<uint32_t> Run::histogram_of_unobserved_positives() {
  if (session_.prepared.truth().empty()) {
    fail("--record unobserved-positives needs the full truth, and the data has none");
  }
  std::vector<uint32_t> counts(kHistogramBins);
  std::vector<int8_t> observed(session_.data.labels());
  const auto& rows = session_.prepared.split.train;
  const Evaluator train(Part::kTrainFile, rows, session_.prepared.truth(), options_.threads);
  train.for_label_blocks(
      *session_.model, [&](size_t first, View<const float> p, View<const int8_t> truth) {
        for (size_t i = 0; i < p.rows; ++i) {
          session_.prepared.observed().read_row(static_cast<size_t>(rows[i]), observed);
          for (size_t j = 0; j < p.cols; ++j) {
            if (truth(i, j) <= 0 || observed[first + j] > 0) continue;
            const auto bin = static_cast<size_t>(p(i, j) * kHistogramBins);
            ++counts[std::min(bin, kHistogramBins - 1)];
          }
        }
      });
  return counts;
}

RunResult Run::measure() {
  const LoopState& state = session_.loop.state();
  RunResult result;
  result.config = session_.config;
  result.k = session_.prepared.k;
  result.params = session_.params;
  result.best_epoch = state.best_epoch;
  result.val_map = state.best_val_map;
  result.steps = state.step;
  result.resumed_from_step = resumed_from_step_;
  result.train_seconds = state.train_seconds;
  if (!session_.prepared.truth().empty()) {
    const Evaluator train(Part::kTrainFile, session_.prepared.split.train,
                          session_.prepared.truth(), options_.threads);
    result.train_map = train.evaluate(*session_.model).map.map;
  }
  if (!session_.data.test.truth.empty() && session_.has_inputs(session_.data.test)) {
    const auto rows = Session::all_rows(session_.data.test);
    const Evaluator test(Part::kTest, rows, session_.data.test.truth, options_.threads);
    const MapResult map = test.evaluate(*session_.model).map;
    result.test_map = map.map;
    result.test_map_nonempty = map.map_nonempty;
    for (const double ap : map.per_class_ap) result.per_class_ap.push_back(100 * ap);
  }
  return result;
}

Json Run::write_outputs(RunResult result) {
  SafetensorsWriter writer;
  session_.model->save_model(writer);
  writer.add_metadata("format", "spml");
  writer.add_metadata("loss", session_.config.loss);
  writer.write(folder_.model());
  const std::vector<float> thresholds = session_.validation.tune_thresholds(*session_.model);
  write_npy(folder_.thresholds(), View<const float>{thresholds.data(), 1, thresholds.size()});
  if (session_.estimator != nullptr) {
    session_.estimator->write_best(folder_.path);
    write_npy(folder_.train_rows(), std::span<const int32_t>(session_.prepared.split.train));
  }
  metrics_.close();
  write_metrics();
  result.seconds = seconds_since(start_);
  const Json json = to_json(result);
  write_file(folder_.result(), json.dump(2) + "\n");
  std::filesystem::remove(folder_.checkpoint());
  return json;
}

// The resolved configuration with the data's fingerprint: runs that agree in it give the same
// bytes.
Json identity_of(const Dataset& data, const TrainConfig& config) {
  TrainConfig resolved = config;
  resolved.k = resolve_k(data, config);
  Json identity = to_json(resolved);
  identity["data_fingerprint"] = fingerprint(data);
  if (!config.image.init.empty()) {
    const RunFolder start{linear_run(config.image.init, config.loss)};
    identity["init-sha256"] = sha256_of_file(start.model());
  }
  return identity;
}

// The linear run that linear-init starts from: the one given, or the best of a sweep in the run's
// own folder, which is done first, or gone on with.
Path find_linear_run(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                     const RunEvents& events) {
  if (config.mode != Mode::kLinearInit) return {};
  if (!config.image.init.empty()) return linear_run(config.image.init, config.loss);
  const auto& origin = data.extraction;
  if (origin && (origin->backbone.sha256 != config.image.weights_sha256 ||
                 origin->size != config.image.size)) {
    fail(
        "{}: its features were made with {} at {} px, asked for is {} at {} px; run `spml extract "
        "{} --weights {} --size {} --force` first",
        data.folder.string(), origin->backbone.file, origin->size, config.image.weights,
        config.image.size, data.folder.string(), config.image.weights, config.image.size);
  }
  SweepOptions sweep;
  sweep.out = options.out / kLinearPhase;
  sweep.jobs = options.threads;
  sweep.overwrite = options.existing == Existing::kOverwrite;
  SweepEvents sweep_events;
  sweep_events.stop_requested = events.stop_requested;
  if (events.notice) events.notice("training linear classifiers to start from");
  run_sweep(data, linear_phase(config), sweep, sweep_events);
  return linear_run(sweep.out, config.loss);
}

// A file of an earlier run in the same folder.
Json read_back(const Path& path) {
  const Json json = Json::parse(read_file(path), nullptr, false);
  if (!json.is_object()) {
    fail("{}: expected a JSON object; start again with --overwrite", path.string());
  }
  return json;
}

// --resume goes on with the run that the folder holds, not with another one.
void check_same_run(const RunFolder& folder, const Json& identity) {
  if (!std::filesystem::exists(folder.config())) return;
  const Json earlier = read_back(folder.config()).value("config", Json::object());
  for (const auto& [key, value] : identity.items()) {
    const Json before = earlier.value(key, Json());
    if (before == value) continue;
    fail(
        "{}: the run there has {} {}, asked for is {}; give the flags and data it was started "
        "with, another --out, or --overwrite",
        folder.path.string(), key, before.dump(), value.dump());
  }
}

}  // namespace

Json run_training(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                  const RunEvents& events) {
  const auto lock = claim_folder(options.out, options.existing);
  const RunFolder folder{options.out};
  Json identity = identity_of(data, config);
  if (options.existing == Existing::kResume) {
    check_same_run(folder, identity);
    if (std::filesystem::exists(folder.result())) {
      std::filesystem::remove(folder.checkpoint());  // killed just before it was removed
      if (events.notice) {
        events.notice(fmt::format("{} is finished already: nothing to do", options.out.string()));
      }
      return read_back(folder.result());
    }
  }
  RunOptions with_start = options;
  with_start.linear_run = find_linear_run(data, config, options, events);
  return Run(data, config, std::move(identity), with_start, events).execute();
}

}  // namespace spml
