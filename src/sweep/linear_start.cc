#include "sweep/linear_start.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "formats/npy.h"
#include "run/trained_model.h"
#include "settings/settings.h"
#include "sweep/sweep.h"

namespace spml {
namespace {

// `rows_of_data`: a run on the same data has trained on some of them, so that a longer file is
// refused before its size is believed.
void read_estimates(const RunFolder& run, size_t rows_of_data, size_t labels, LinearStart& start) {
  const NpyArray estimates(run.estimates()), rows(run.train_rows());
  if (rows.rows() != estimates.rows() || estimates.cols() != labels) {
    fail("{}: expected label estimates of {} labels for each row in train_rows.npy",
         run.path.string(), labels);
  }
  if (rows.rows() > rows_of_data) {
    fail("{}: expected at most the {} rows of the training file, found {}",
         run.train_rows().string(), rows_of_data, rows.rows());
  }
  MemoryBudget().require(saturating_product(rows.rows(), labels, sizeof(float)),
                         run.estimates().string());
  start.estimates.resize(estimates.rows() * labels);
  for (size_t i = 0; i < estimates.rows(); ++i) {
    const double row = rows.at(i, 0);
    if (!(row >= 0 && row <= std::numeric_limits<int32_t>::max())) {
      fail("{}: expected the numbers of rows, found {}", run.train_rows().string(), row);
    }
    start.rows.push_back(static_cast<int32_t>(row));
    estimates.read_row(i, std::span(start.estimates).subspan(i * labels, labels));
  }
}

void check_pooling(const FeatureOrigin& origin, std::string_view where) {
  if (origin.pooling.is_plain() && origin.sizes.size() == 1) return;
  fail(
      "{}: its features were made with --pool {} at {} px, and the linear layer of a network in "
      "training sees the mean (avg) of one size; extract again without --pool, --layers, --mirror "
      "and a second --size",
      where, describe(origin.pooling), sizes_text(origin.sizes));
}

void check(const TrainedModel& run, const TrainConfig& config, const Dataset& data) {
  const std::string where = run.folder.string();
  const TrainConfig& linear = run.config;
  if (linear.mode != Mode::kLinear || linear.loss != config.loss) {
    fail("{}: expected a linear run of loss '{}', found a {} run of '{}'", where, config.loss,
         to_string(linear.mode), linear.loss);
  }
  if (linear.transform != TransformKind::kNone) {
    fail("{}: expected a run without --transform: the network's own features have none", where);
  }
  if (run.classes != data.classes || linear.val_fraction != config.val_fraction ||
      linear.split_seed != config.split_seed) {
    fail("{}: expected a run on the same classes and the same split, found another", where);
  }
  if (!run.extraction) return;
  const FeatureOrigin& origin = *run.extraction;
  check_pooling(origin, where);
  if (origin.backbone.sha256 != config.image.weights_sha256 ||
      !origin.is_plain(config.image.size)) {
    fail(
        "{}: its features were made with {} at {} px, but {} at {} px was asked for; give the same "
        "--weights and --size, or extract again",
        where, origin.backbone.file, sizes_text(origin.sizes), config.image.weights,
        config.image.size);
  }
}

LinearStart read_linear_start(const Path& path, const TrainConfig& config, const Dataset& data) {
  const TrainedModel run = load_trained_model(path, 1);
  check(run, config, data);
  LinearStart start;
  start.weight = run.model->weight();
  start.bias.assign(run.model->bias().begin(), run.model->bias().end());
  if (find_loss(config.loss).uses_estimates) {
    read_estimates({path}, data.train_file.rows(), run.classes.size(), start);
  }
  return start;
}

void check_features(const Dataset& data, const ImageConfig& image) {
  const auto& origin = data.extraction;
  if (!origin) return;
  check_pooling(*origin, data.folder.string());
  if (origin->backbone.sha256 == image.weights_sha256 && origin->is_plain(image.size)) return;
  fail(
      "{}: its features were made with {} at {} px, but {} at {} px was asked for; run `spml "
      "extract "
      "{} --weights {} --size {} --force` first",
      data.folder.string(), origin->backbone.file, sizes_text(origin->sizes), image.weights,
      image.size, data.folder.string(), image.weights, image.size);
}

// The linear phase when no run is given: the paper's learning rates, otherwise the defaults.
std::vector<TrainConfig> linear_grid(const TrainConfig& config) {
  std::vector<TrainConfig> grid;
  for (const double lr : kPaperLearningRates) {
    TrainConfig linear = config;
    linear.mode = Mode::kLinear;
    for (const Setting& setting : all_settings()) {
      if (setting.of_phase) copy_setting(setting, TrainConfig(), linear);
    }
    linear.lr = lr;
    linear.image = {};
    grid.push_back(linear);
  }
  return grid;
}

// The finished run that `path` stands for: itself, or the best one for `loss` of a sweep.
Path linear_run(const Path& path, std::string_view loss) {
  const SweepFolder sweep{path};
  if (!path_exists(sweep.best())) return path;
  const SweepSummary summary = read_sweep_summary(sweep.best());
  const Winner* winner = summary.best.find(loss);
  if (winner == nullptr || winner->run.empty()) {
    fail("{}: expected a best run of loss '{}', found none", sweep.best().string(), loss);
  }
  return run_inside(path, winner->run, sweep.best());
}

// Under --resume a linear phase that was interrupted goes on.
LinearStart linear_start(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                         const RunEvents& events) {
  if (!config.image.init.empty()) {
    return read_linear_start(linear_run(config.image.init, config.loss), config, data);
  }
  check_features(data, config.image);
  SweepOptions sweep;
  sweep.out = options.out / kLinearPhase;
  make_folder_inside(sweep.out);
  sweep.jobs = options.threads;
  sweep.overwrite = options.existing == Existing::kOverwrite;
  sweep.beside_others = options.existing != Existing::kRefuse;
  sweep.keep_earlier = false;  // the start has the settings that are asked for now
  sweep.cluster = options.cluster;
  SweepEvents sweep_events;
  sweep_events.stop_requested = events.stop_requested;
  if (events.notice) events.notice("training linear classifiers to start from");
  SweepSummary summary;
  try {
    summary = run_sweep(data, linear_grid(config), sweep, sweep_events);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInterrupted) throw;
    throw Error(fmt::format("stopped; {} can be continued with --resume", options.out.string()),
                Error::Kind::kInterrupted);
  }
  check_complete(summary.failed);
  return read_linear_start(sweep.out / summary.best.begin()->second.run, config, data);
}

}  // namespace

LinearStarts linear_starts() {
  return {[](const TrainConfig& config) { return linear_run(config.image.init, config.loss); },
          linear_start};
}

}  // namespace spml
