#include "experiment/linear_start.h"

#include <algorithm>
#include <filesystem>

#include "base/fail.h"
#include "experiment/trained_model.h"
#include "formats/json.h"
#include "formats/npy.h"

namespace spml {
namespace {

std::vector<float> read_estimates(const RunFolder& run, const std::vector<int32_t>& rows,
                                  size_t labels) {
  const NpyArray estimates(run.estimates()), file_rows(run.train_rows());
  const auto is_row = [&](size_t i) { return file_rows.at(i, 0) == rows[i]; };
  bool same = file_rows.rows() == rows.size() && estimates.rows() == rows.size() &&
              estimates.cols() == labels;
  for (size_t i = 0; same && i < rows.size(); ++i) same = is_row(i);
  if (!same) {
    fail("{}: expected label estimates of the {} rows that are trained on here, found others",
         run.path.string(), rows.size());
  }
  std::vector<float> values(rows.size() * labels);
  for (size_t i = 0; i < rows.size(); ++i) {
    estimates.read_row(i, std::span(values).subspan(i * labels, labels));
  }
  return values;
}

void check(const TrainedModel& run, const TrainConfig& config, const Prepared& prepared) {
  const std::string where = run.folder.string();
  if (run.config.at("mode") != "linear" || run.config.at("loss") != config.loss) {
    fail("{}: expected a linear run of loss '{}', found a {} run of '{}'", where, config.loss,
         run.config.at("mode").get<std::string>(), run.config.at("loss").get<std::string>());
  }
  if (run.config.at("transform") != "none") {
    fail("{}: expected a run without --transform: the network's own features have none", where);
  }
  if (run.classes != prepared.data->classes || run.val_fraction != config.val_fraction ||
      run.split_seed != config.split_seed) {
    fail("{}: expected a run on the same classes and the same split, found another", where);
  }
  if (!run.extraction) return;
  const FeatureOrigin& origin = *run.extraction;
  if (origin.backbone.sha256 != config.image.weights_sha256 || origin.size != config.image.size) {
    fail(
        "{}: its features were made with {} at {} px, asked for is {} at {} px; give the same "
        "--weights and --size, or extract again",
        where, origin.backbone.file, origin.size, config.image.weights, config.image.size);
  }
}

}  // namespace

Path linear_run(const Path& path, std::string_view loss) {
  const Path summary = path / "best.json";
  if (!std::filesystem::exists(summary)) return path;
  const auto json = parse_json(read_file(summary), summary.string());
  const auto best = json.find("best");
  const std::string name(loss);
  if (best == json.end() || !best->contains(name) || !(*best)[name].contains("run") ||
      !(*best)[name]["run"].is_string()) {
    fail("{}: expected a best run of loss '{}', found none", summary.string(), loss);
  }
  return path / (*best)[name]["run"].get<std::string>();
}

LinearStart read_linear_start(const Path& path, const TrainConfig& config,
                              const Prepared& prepared) {
  const TrainedModel run = load_trained_model(path, 1);
  check(run, config, prepared);
  LinearStart start;
  start.weight = run.model->weight();
  start.bias.assign(run.model->bias().begin(), run.model->bias().end());
  if (find_loss(config.loss).uses_estimates) {
    start.estimates = read_estimates({path}, prepared.split.train, run.classes.size());
  }
  return start;
}

std::vector<TrainConfig> linear_phase(const TrainConfig& config) {
  std::vector<TrainConfig> grid;
  for (const double lr : {1e-2, 1e-3, 1e-4, 1e-5}) {
    TrainConfig linear = config;
    linear.mode = Mode::kLinear;
    linear.lr = lr;
    linear.epochs = std::nullopt;
    linear.weight_decay = 0;
    linear.patience = 0;
    linear.record_unobserved_positives = false;
    linear.image = {};
    grid.push_back(linear);
  }
  return grid;
}

}  // namespace spml
