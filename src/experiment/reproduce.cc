#include "experiment/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/fail.h"
#include "experiment/machine.h"
#include "experiment/on_data.h"
#include "experiment/session.h"
#include "spml/version.h"

namespace spml {
namespace {

using Row = ExperimentRow;

// The results of earlier commands in the same folder.
Json read_results(const Path& path) {
  if (!std::filesystem::exists(path))
    return {{"version", kVersion}, {"experiments", Json::object()}};
  Json json = Json::parse(read_file(path), nullptr, false);
  if (!json.is_object() || !json.contains("experiments") || !json["experiments"].is_object()) {
    fail("{}: expected the results of spml reproduce, found something else; choose another --out",
         path.string());
  }
  return json;
}

// Rows with what is known before anything is run: labels and published numbers.
Json empty_rows(const Experiment& experiment, Mode mode) {
  Json rows = Json::array();
  for (const Row& row : experiment.rows) {
    if (row.only && *row.only != mode) continue;
    Json json = {{"label", row.label}};
    if (!row.labels.empty()) json["labels"] = row.labels;
    if (row.loss.empty()) {
      json["statistic"] = row.statistic;
    } else {
      json["loss"] = row.loss;
      json["params"] = params_of(row);
      json["mode"] = to_string(row.mode.value_or(mode));
      json["single"] = find_loss(row.loss).needs == LabelNeed::kObserved;
    }
    json["extra"] = row.extra;
    json["cells"] = Json::object();
    const auto paper = row.paper.find(mode);
    if (paper != row.paper.end()) {
      for (const auto& [dataset, value] : paper->second) json["cells"][dataset]["paper"] = value;
    }
    rows.push_back(std::move(json));
  }
  return rows;
}

// Differences from the paper, and 1 and 2 for the best and the second-best of the losses that see
// observed labels only.
void compare(Json& rows, const std::string& dataset) {
  std::vector<Json*> rivals;
  for (Json& row : rows) {
    if (!row["cells"].contains(dataset)) continue;
    Json& cell = row["cells"][dataset];
    const bool has_ours = cell.contains("ours") && cell["ours"].is_number();
    if (has_ours && cell.contains("paper")) {
      cell["difference"] = cell["ours"].get<double>() - cell["paper"].get<double>();
    }
    if (has_ours && row.value("single", false) && !row.value("extra", false))
      rivals.push_back(&cell);
  }
  std::ranges::stable_sort(rivals, std::ranges::greater{},
                           [](const Json* cell) { return (*cell)["ours"].get<double>(); });
  for (size_t i = 0; i < std::min<size_t>(2, rivals.size()); ++i) (*rivals[i])["rank"] = i + 1;
}

std::vector<std::string> columns_of(const Experiment& experiment, const ReproduceOptions& options) {
  std::vector<std::string> columns = experiment.datasets;
  for (const NamedData& data : options.data) {
    if (std::ranges::find(columns, data.name) == columns.end()) columns.push_back(data.name);
  }
  return columns;
}

std::string metric_text(const std::string& metric) {
  return metric == "train_map" ? "train MAP" : metric == "val_map" ? "val MAP" : "test MAP";
}

// The paper's experiments in its order, then the others.
void write_results(const Path& path, Json all, const std::string& key, const Json& result) {
  all["version"] = kVersion;
  all["experiments"][key] = result;
  Json ordered = Json::object();
  for (const std::string& name : paper_experiments()) {
    for (const auto& [other, value] : all["experiments"].items()) {
      if (value.value("experiment", "") == name) ordered[other] = value;
    }
  }
  for (const auto& [other, value] : all["experiments"].items()) ordered[other] = value;
  all["experiments"] = std::move(ordered);
  write_file(path, all.dump(1) + "\n");
}

}  // namespace

std::string result_key(const Experiment& experiment, Mode mode) {
  if (mode == experiment.modes.front()) return experiment.name;
  return fmt::format("{}-{}", experiment.name, to_string(mode));
}

Json reproduce(const Experiment& experiment, const ReproduceOptions& options,
               const SweepEvents& events) {
  const auto start = std::chrono::steady_clock::now();
  const Mode mode = options.mode.value_or(experiment.modes.front());
  if (std::ranges::find(experiment.modes, mode) == experiment.modes.end()) {
    std::vector<std::string_view> names;
    for (const Mode known : experiment.modes) names.push_back(to_string(known));
    fail_usage("{}: expected --mode {}, found {}", experiment.name, fmt::join(names, " or "),
               to_string(mode));
  }
  for (const Row& row : experiment.rows) {
    const bool trained = !row.loss.empty() && (!row.only || *row.only == mode);
    if (trained) check_can_train(row.mode.value_or(mode), options.make_image_model);
  }
  make_folder(options.out);
  const FileLock lock(options.out / ".lock", options.out.string());
  const ReproductionFolder folder{options.out};
  const Json earlier = read_results(folder.results());

  Json rows = empty_rows(experiment, mode);
  Json data = Json::object();
  size_t runs = 0;
  for (const NamedData& named : options.data) {
    OnData on_data(experiment, options, events, mode, named, earlier);
    runs += on_data.add_to(rows);
    compare(rows, named.name);
    data[named.name] = std::filesystem::absolute(named.folder).lexically_normal().string();
  }

  Json result;
  result["experiment"] = experiment.name;
  result["title"] = experiment.title;
  if (!experiment.note.empty()) result["note"] = experiment.note;
  if (!experiment.caption.empty()) result["caption"] = experiment.caption;
  result["row_title"] = experiment.row_title;
  result["show"] = to_string(experiment.show);
  result["metric"] = experiment.metric;
  result["metric_text"] = metric_text(experiment.metric);
  if (!experiment.vary.name.empty()) result["x"] = experiment.vary.name;
  result["mode"] = to_string(mode);
  result["seeds"] = options.seeds.value_or(experiment.seeds);
  result["columns"] = columns_of(experiment, options);
  result["data"] = std::move(data);
  result["rows"] = std::move(rows);
  result["runs"] = runs;
  result["version"] = kVersion;
  result["machine"] = describe_machine();
  result["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_results(folder.results(), earlier, result_key(experiment, mode), result);
  return result;
}

}  // namespace spml
