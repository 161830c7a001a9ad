#include "experiment/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>

#include "base/fail.h"
#include "experiment/checkpoint.h"
#include "experiment/machine.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "linear/linear_model.h"
#include "spml/version.h"

namespace spml {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr size_t kHistogramBins = 50;

// The objects of a run, in the order in which they depend on each other.
class Run {
 public:
  Run(const Dataset& data, const TrainConfig& config, const RunOptions& options,
      const RunEvents& events);
  Json execute();

 private:
  void make_model();
  void make_estimator();
  void write_config() const;
  void resume_if_possible();
  LoopEvents loop_events();
  bool checkpoint_due(const LoopState& state);
  void checkpoint(const LoopState& state);
  std::vector<uint32_t> histogram_of_unobserved_positives();
  void append_metrics(const EpochRecord& record);
  RunResult measure();
  void write_outputs(const RunResult& result);

  Clock::time_point start_ = Clock::now();
  const Dataset& data_;
  TrainConfig config_;
  RunOptions options_;
  const RunEvents& events_;
  RunFolder folder_;
  Prepared prepared_;
  const LossInfo& loss_info_;
  LossParameters params_;
  std::unique_ptr<const Loss> loss_;
  TrainingLabels labels_;
  Json resolved_config_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<LabelEstimator> estimator_;
  Evaluator validation_;
  std::unique_ptr<Loop> loop_;
  uint64_t resumed_from_step_ = 0;
  Clock::time_point last_checkpoint_ = Clock::now();
  double checkpoint_cost_ = 0;  // seconds that the last one took
  std::ofstream metrics_;
};

LossSetup loss_setup(const Prepared& prepared, const TrainConfig& config) {
  LossSetup setup;
  setup.labels = prepared.data->labels();
  setup.k = prepared.k;
  setup.params = config.params;
  return setup;
}

Run::Run(const Dataset& data, const TrainConfig& config, const RunOptions& options,
         const RunEvents& events)
    : data_(data),
      config_(config),
      options_(options),
      events_(events),
      folder_{options.out},
      prepared_(prepare(data, config)),
      loss_info_(find_loss(config.loss)),
      params_(resolve_parameters(loss_info_, loss_setup(prepared_, config))),
      loss_(make_loss(config.loss, loss_setup(prepared_, config))),
      labels_(prepared_.observed(), prepared_.truth(), loss_info_.needs),
      validation_(Part::kTrainFile, prepared_.split.val, prepared_.validation_labels(),
                  options.threads) {
  resolved_config_ = to_json(config_);
  resolved_config_["data_fingerprint"] = fingerprint(data_);
  make_model();
  if (loss_info_.uses_estimates) make_estimator();
  LoopPlan plan;
  plan.rows = prepared_.split.train;
  plan.batch = config_.batch;
  plan.epochs = config_.epoch_count();
  plan.patience = config_.patience;
  plan.seed = config_.seed;
  loop_ = std::make_unique<Loop>(plan, *loss_, *model_, estimator_.get(), labels_, validation_);
}

void Run::make_model() {
  LinearConfig linear;
  linear.features = data_.train_file.features.cols();
  linear.labels = data_.labels();
  linear.batch = config_.batch;
  linear.adam.lr = config_.learning_rate();
  linear.adam.weight_decay = config_.weight_decay;
  linear.threads = options_.threads;
  linear.seed = config_.seed;
  const auto transform =
      fit_transform(config_.transform, data_.train_file.features, prepared_.split.train);
  model_ = std::make_unique<LinearModel>(linear, transform, &data_.train_file.features,
                                         &data_.test.features);
}

void Run::make_estimator() {
  AdamConfig adam;
  adam.lr = config_.learning_rate() * params_.at("estimate_lr_factor");
  const auto& rows = prepared_.split.train;
  estimator_ = std::make_unique<LabelEstimator>(rows.size(), data_.labels(), adam);
  std::vector<int8_t> observed(data_.labels());
  for (size_t i = 0; i < rows.size(); ++i) {
    labels_.read_row(static_cast<size_t>(rows[i]), observed);
    estimator_->start_row(i, observed, config_.seed, static_cast<uint64_t>(rows[i]));
  }
}

Json Run::execute() {
  for (const std::string& notice : prepared_.notices) {
    if (events_.notice) events_.notice(notice);
  }
  resume_if_possible();
  write_config();
  loop_->run(loop_events());
  const RunResult result = measure();
  write_outputs(result);
  return to_json(result);
}

void Run::write_config() const {
  Json json;
  json["version"] = kVersion;
  json["data"] = std::filesystem::absolute(data_.folder).lexically_normal().string();
  json["data_name"] = data_.name;
  json["config"] = resolved_config_;
  json["k"] = prepared_.k ? Json(*prepared_.k) : Json();
  json["params"] = Json::object();
  for (const auto& [name, value] : params_) json["params"][name] = value;
  json["select"] = to_string(prepared_.select);
  json["rows"] = {{"train", prepared_.split.train.size()},
                  {"val", prepared_.split.val.size()},
                  {"test", data_.test.rows()}};
  json["features"] = data_.train_file.features.cols();
  json["classes"] = data_.classes;
  json["machine"] = describe_machine();
  json["threads"] = options_.threads;
  write_file(folder_.config(), json.dump(2) + "\n");
}

void Run::resume_if_possible() {
  if (std::filesystem::exists(folder_.checkpoint())) {
    load_checkpoint(folder_.checkpoint(), resolved_config_, loop_->state(), *model_,
                    estimator_.get());
    resumed_from_step_ = loop_->state().step;
    if (events_.notice) events_.notice(fmt::format("resuming from step {}", resumed_from_step_));
  }
  // Lines of epochs after the checkpoint will be written again.
  metrics_.open(folder_.metrics(), std::ios::trunc);
  for (const EpochRecord& record : loop_->state().epochs) append_metrics(record);
}

void Run::append_metrics(const EpochRecord& record) {
  metrics_ << to_json(record).dump() << std::endl;
  if (!metrics_) fail("{}: cannot write", folder_.metrics().string());
}

LoopEvents Run::loop_events() {
  const uint64_t total =
      prepared_.split.train.size() / config_.batch * static_cast<uint64_t>(config_.epoch_count());
  LoopEvents events;
  events.checkpoint_due = [this](const LoopState& state) { return checkpoint_due(state); };
  events.checkpoint = [this](const LoopState& state) { checkpoint(state); };
  events.after_step = [this, total](const LoopState& state) {
    if (events_.step) events_.step(state, total);
    if (events_.stop_requested && events_.stop_requested()) {
      throw Error(fmt::format("stopped after step {}; {} can be continued with --resume",
                              state.step, folder_.path.string()),
                  Error::Kind::kInterrupted);
    }
  };
  events.after_epoch = [this](EpochRecord& record) {
    if (config_.record_unobserved_positives) {
      record.unobserved_positives = histogram_of_unobserved_positives();
    }
    append_metrics(record);
    if (events_.epoch) events_.epoch(record);
  };
  return events;
}

bool Run::checkpoint_due(const LoopState& state) {
  if (events_.stop_requested && events_.stop_requested()) return true;
  if (options_.checkpoint_every > 0) return state.step % options_.checkpoint_every == 0;
  // A large state on a slow disk may not take more than a twentieth of the time.
  const double interval = std::max(options_.checkpoint_seconds, 20 * checkpoint_cost_);
  return seconds_since(last_checkpoint_) >= interval;
}

void Run::checkpoint(const LoopState& state) {
  const auto begin = Clock::now();
  save_checkpoint(folder_.checkpoint(), resolved_config_, state, *model_, estimator_.get());
  checkpoint_cost_ = seconds_since(begin);
  last_checkpoint_ = Clock::now();
}

// Predicted probabilities of the training rows' positives that were not observed.
std::vector<uint32_t> Run::histogram_of_unobserved_positives() {
  if (prepared_.truth().empty()) {
    fail("--record unobserved-positives needs the full truth, and the data has none");
  }
  std::vector<uint32_t> counts(kHistogramBins);
  std::vector<int8_t> observed(data_.labels());
  const auto& rows = prepared_.split.train;
  const Evaluator train(Part::kTrainFile, rows, prepared_.truth(), options_.threads);
  train.for_label_blocks(*model_, [&](size_t first, View<const float> p, View<const int8_t> truth) {
    for (size_t i = 0; i < p.rows; ++i) {
      prepared_.observed().read_row(static_cast<size_t>(rows[i]), observed);
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
  const LoopState& state = loop_->state();
  RunResult result;
  result.config = config_;
  result.k = prepared_.k;
  result.params = params_;
  result.best_epoch = state.best_epoch;
  result.val_map = state.best_val_map;
  result.steps = state.step;
  result.resumed_from_step = resumed_from_step_;
  result.train_seconds = state.train_seconds;
  if (!prepared_.truth().empty()) {
    const Evaluator train(Part::kTrainFile, prepared_.split.train, prepared_.truth(),
                          options_.threads);
    result.train_map = train.evaluate(*model_).map.map;
  }
  if (!data_.test.truth.empty() && !data_.test.features.empty()) {
    std::vector<int32_t> rows(data_.test.rows());
    std::iota(rows.begin(), rows.end(), 0);
    const Evaluator test(Part::kTest, rows, data_.test.truth, options_.threads);
    const MapResult map = test.evaluate(*model_).map;
    result.test_map = map.map;
    result.test_map_nonempty = map.map_nonempty;
    for (const double ap : map.per_class_ap) result.per_class_ap.push_back(100 * ap);
  }
  return result;
}

void Run::write_outputs(const RunResult& measured) {
  SafetensorsWriter writer;
  model_->save_model(writer);
  writer.add_metadata("format", "spml");
  writer.add_metadata("loss", config_.loss);
  writer.write(folder_.model());
  const std::vector<float> thresholds = validation_.tune_thresholds(*model_);
  write_npy(folder_.thresholds(), View<const float>{thresholds.data(), 1, thresholds.size()});
  if (estimator_ != nullptr) {
    write_npy(folder_.estimates(), View<const float>{loop_->state().best_estimates.data(),
                                                     estimator_->rows(), estimator_->labels()});
    write_npy(folder_.train_rows(), std::span<const int32_t>(prepared_.split.train));
  }
  metrics_.close();
  RunResult result = measured;
  result.seconds = seconds_since(start_);
  write_file(folder_.result(), to_json(result).dump(2) + "\n");
  std::filesystem::remove(folder_.checkpoint());
}

}  // namespace

Json run_training(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                  const RunEvents& events) {
  const auto lock = claim_folder(options.out, options.existing);
  const RunFolder folder{options.out};
  if (std::filesystem::exists(folder.result())) {
    if (events.notice) {
      events.notice(fmt::format("{} is finished already: nothing to do", options.out.string()));
    }
    return Json::parse(read_file(folder.result()));
  }
  return Run(data, config, options, events).execute();
}

}  // namespace spml
