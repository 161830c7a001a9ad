#include "report/collect.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/fail.h"
#include "experiment/run_folder.h"
#include "experiment/sweep.h"
#include "spml/version.h"

namespace spml {
namespace {

constexpr size_t kMaxFile = size_t{1} << 28;

// nlohmann's messages name neither the file nor what to do.
template <class Read>
auto reading(const Path& path, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    fail("{}: expected what spml writes there, found something else ({}); run it again",
         path.string(), error.what());
  }
}

Json read_json(const Path& path) {
  return reading(path, [&] { return Json::parse(read_file(path, kMaxFile)); });
}

std::vector<Json> read_lines(const Path& path) {
  return reading(path, [&] {
    std::vector<Json> lines;
    std::istringstream text(read_file(path, kMaxFile));
    for (std::string line; std::getline(text, line);) {
      if (!line.empty()) lines.push_back(Json::parse(line));
    }
    return lines;
  });
}

struct Run {
  std::string name, row;  // the row of the table it belongs to
  bool chosen = false;    // on validation, among the runs of its row
  Json result, config;
  std::vector<Json> epochs;
};

Run read_run(const Path& folder, std::string name) {
  const RunFolder files{folder};
  Run run;
  run.name = std::move(name);
  run.result = read_json(files.result());
  run.config = read_json(files.config());
  run.epochs = read_lines(files.metrics());
  return run;
}

// A run that a file in `folder` names.
Run read_run_inside(const Path& folder, const Path& list, const std::string& name) {
  const Path path = name;
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end()) {
    fail("{}: expected runs inside the folder, found '{}'", list.string(), name);
  }
  return read_run(folder / path, path.filename().string());
}

std::vector<Run> read_sweep(const Path& folder) {
  const Path list = folder / "results.jsonl";
  std::vector<Run> runs;
  for (const Json& line : read_lines(list)) {
    const auto name = reading(list, [&] { return line.at("run").get<std::string>(); });
    runs.push_back(read_run_inside(folder, list, name));
  }
  return runs;
}

std::string labels_text(LabelNeed needs) {
  switch (needs) {
    case LabelNeed::kTruth:
      return "all";
    case LabelNeed::kTrueNegatives:
      return "observed positives, all negatives";
    case LabelNeed::kNegatives:
      return "observed positives, some negatives";
    case LabelNeed::kObserved:
      break;
  }
  return "observed positives";
}

Json describe_row(const std::string& label, const std::string& loss, Json winner) {
  const LabelNeed needs = find_loss(loss).needs;
  return {{"label", label},
          {"labels", labels_text(needs)},
          {"single", needs == LabelNeed::kObserved},
          {"rank", 0},
          {"winner", std::move(winner)}};
}

double test_map(const Json& row) {
  const Json& winner = row.at("winner");
  return winner.value("test_map_mean", winner.at("test_map").get<double>());
}

void rank_single_positive(Json& rows) {
  std::vector<Json*> rivals;
  for (Json& row : rows) {
    if (row["single"].get<bool>() && row["winner"].at("test_map").is_number()) {
      rivals.push_back(&row);
    }
  }
  std::ranges::stable_sort(rivals, std::ranges::greater{},
                           [](const Json* row) { return test_map(*row); });
  for (size_t i = 0; i < std::min<size_t>(2, rivals.size()); ++i) (*rivals[i])["rank"] = i + 1;
}

// Runs that differ in nothing but the seed are one choice.
Json settings_of(const Run& run) {
  Json settings = run.config.at("config");
  settings.erase("seed");
  return settings;
}

Json describe_group(const std::string& name, const Path& path, Json rows, std::vector<Run> runs) {
  Json group;
  group["name"] = name;
  group["path"] = path.string();
  group["classes"] = runs.front().config.at("classes");
  group["rows"] = std::move(rows);
  group["runs"] = Json::array();
  for (Run& run : runs) {
    Json curve = Json::array();
    for (const Json& epoch : run.epochs) curve.push_back(epoch.at("val_map"));
    run.result.erase("per_class_ap");  // the page shows the winners'
    run.config.erase("classes");       // the group has them
    group["runs"].push_back({{"name", run.name},
                             {"row", run.row},
                             {"chosen", run.chosen},
                             {"result", std::move(run.result)},
                             {"config", std::move(run.config)},
                             {"curve", std::move(curve)}});
  }
  return group;
}

// A sweep has a row for each loss, and chooses among all runs of it.
Json describe_sweep(const std::string& title, const Path& path, std::vector<Run> runs) {
  std::vector<Json> results;
  for (size_t i = 0; i < runs.size(); ++i) {
    results.push_back(runs[i].result);
    results.back()["config"] = runs[i].config.at("config");
    results.back()["position"] = i;
  }
  Json best = best_per_loss(results);
  for (Run& run : runs) {
    run.row = run.result.at("loss").get<std::string>();
    const Run& winner = runs[best.at(run.row).at("position").get<size_t>()];
    run.chosen = settings_of(run) == settings_of(winner);
  }
  Json rows = Json::array();
  for (auto& [loss, winner] : best.items()) {
    winner.erase("position");
    rows.push_back(describe_row(loss, loss, winner));
  }
  rank_single_positive(rows);
  const Json group = describe_group("", path, std::move(rows), std::move(runs));
  return {{"title", title}, {"groups", Json::array({group})}};
}

// The runs of an experiment on one data set, with the choices that it made.
Json describe_experiment_group(const Path& folder, const Path& list, const std::string& dataset,
                               const Json& experiment) {
  std::vector<Run> runs;
  Json rows = Json::array();
  for (const Json& row : experiment.at("rows")) {
    if (!row.contains("runs") || !row["runs"].contains(dataset)) continue;
    const Json& chosen = row.at("chosen").at(dataset);
    Json winner = Json::object();
    for (const Json& name : row["runs"][dataset]) {
      Run run = read_run_inside(folder, list, name.get<std::string>());
      run.row = row.at("label").get<std::string>();
      run.chosen = std::find(chosen.begin(), chosen.end(), name) != chosen.end();
      if (run.chosen && winner.empty() && experiment.at("show") == "table") winner = run.result;
      runs.push_back(std::move(run));
    }
    rows.push_back(describe_row(row.at("label"), row.at("loss"), std::move(winner)));
  }
  if (runs.empty()) return nullptr;
  return describe_group(dataset, folder / dataset, std::move(rows), std::move(runs));
}

Json describe_experiment(const Path& folder, const Path& list, const Json& experiment) {
  Json section = {{"title", experiment.at("title")}, {"groups", Json::array()}};
  for (const Json& dataset : experiment.at("columns")) {
    Json group = describe_experiment_group(folder, list, dataset.get<std::string>(), experiment);
    if (!group.is_null()) section["groups"].push_back(std::move(group));
  }
  section["experiment"] = experiment;
  for (Json& row : section["experiment"]["rows"]) {
    row.erase("runs");  // the groups have them
    row.erase("chosen");
  }
  return section;
}

}  // namespace

Json collect(const std::vector<Path>& folders) {
  namespace fs = std::filesystem;
  Json report;
  report["version"] = kVersion;
  Json& sections = report["sections"] = Json::array();
  std::vector<Run> single;
  for (const Path& folder : folders) {
    const Path sweep = folder / "results.jsonl", reproduction = folder / "results.json";
    if (fs::exists(sweep)) {
      auto runs = read_sweep(folder);
      if (runs.empty()) fail("{}: expected finished runs, found none", sweep.string());
      sections.push_back(reading(sweep, [&] {
        return describe_sweep("Sweep " + folder.string(), folder, std::move(runs));
      }));
    } else if (fs::exists(reproduction)) {
      const Json results = read_json(reproduction);
      reading(reproduction, [&] {
        for (const auto& [name, experiment] : results.at("experiments").items()) {
          sections.push_back(describe_experiment(folder, reproduction, experiment));
        }
      });
    } else if (fs::exists(RunFolder{folder}.result())) {
      single.push_back(read_run(folder, folder.string()));
    } else {
      fail(
          "{}: expected a finished run (result.json), sweep (results.jsonl) or reproduction "
          "(results.json), found none",
          folder.string());
    }
  }
  if (!single.empty()) {
    const Path path = folders.size() == 1 ? folders.front() : Path();
    sections.push_back(
        reading(path, [&] { return describe_sweep("Runs", path, std::move(single)); }));
  }
  return report;
}

}  // namespace spml
