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
  std::string name;
  Json result, config;
  std::vector<Json> epochs;
};

Run read_run(const Path& folder, std::string name) {
  const RunFolder files{folder};
  return {std::move(name), read_json(files.result()), read_json(files.config()),
          read_lines(files.metrics())};
}

std::vector<Run> read_sweep(const Path& folder) {
  const Path list = folder / "results.jsonl";
  std::vector<Run> runs;
  for (const Json& line : read_lines(list)) {
    const Path name = reading(list, [&] { return line.at("run").get<std::string>(); });
    if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end()) {
      fail("{}: expected runs inside the folder, found '{}'", list.string(), name.string());
    }
    runs.push_back(read_run(folder / name, name.filename().string()));
  }
  return runs;
}

const LossInfo* known_loss(const std::string& name) {
  for (const LossInfo* info : all_losses()) {
    if (info->name == name) return info;
  }
  return nullptr;
}

std::string labels_text(const LossInfo* info) {
  if (info == nullptr) return "unknown";
  switch (info->needs) {
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

double test_map(const Json& entry) {
  const Json& winner = entry.at("winner");
  return winner.value("test_map_mean", winner.at("test_map").get<double>());
}

void rank_single_positive(Json& losses) {
  std::vector<Json*> rivals;
  for (Json& entry : losses) {
    if (entry["single"].get<bool>() && entry["winner"].at("test_map").is_number())
      rivals.push_back(&entry);
  }
  std::ranges::stable_sort(rivals, std::ranges::greater{},
                           [](const Json* e) { return test_map(*e); });
  for (size_t i = 0; i < std::min<size_t>(2, rivals.size()); ++i) (*rivals[i])["rank"] = i + 1;
}

// The winner's settings, to find its runs again.
bool same_settings(const Json& a, const Json& b) {
  return std::ranges::all_of(
      std::initializer_list<const char*>{"loss", "mode", "lr", "batch", "epochs", "k", "params"},
      [&](const char* key) { return a.at(key) == b.at(key); });
}

Json describe_group(const std::string& title, const std::string& path,
                    const std::vector<Run>& runs) {
  std::vector<Json> results;
  for (const Run& run : runs) {
    results.push_back(run.result);
    results.back()["config"] = run.config.at("config");
  }
  Json group;
  group["title"] = title;
  group["path"] = path;
  group["classes"] = runs.front().config.at("classes");
  const Json best = best_per_loss(results);
  Json losses = Json::array();
  for (const auto& [loss, winner] : best.items()) {
    const LossInfo* info = known_loss(loss);
    losses.push_back({{"loss", loss},
                      {"labels", labels_text(info)},
                      {"single", info != nullptr && info->needs == LabelNeed::kObserved},
                      {"rank", 0},
                      {"winner", winner}});
  }
  rank_single_positive(losses);
  group["losses"] = std::move(losses);
  group["runs"] = Json::array();
  for (const Run& run : runs) {
    Json curve = Json::array();
    for (const Json& epoch : run.epochs) curve.push_back(epoch.at("val_map"));
    Json result = run.result;
    result.erase("per_class_ap");  // the page shows the winners'
    group["runs"].push_back(
        {{"name", run.name},
         {"winner", same_settings(run.result, best.at(run.result.at("loss").get<std::string>()))},
         {"result", std::move(result)},
         {"config", run.config},
         {"curve", std::move(curve)}});
  }
  return group;
}

}  // namespace

Json collect(const std::vector<Path>& folders) {
  Json report;
  report["version"] = kVersion;
  report["groups"] = Json::array();
  std::vector<Run> single;
  const auto add = [&](const std::string& title, const Path& path, const std::vector<Run>& runs) {
    if (runs.empty()) fail("{}: expected finished runs, found none", path.string());
    report["groups"].push_back(
        reading(path, [&] { return describe_group(title, path.string(), runs); }));
  };
  for (const Path& folder : folders) {
    if (std::filesystem::exists(folder / "results.jsonl")) {
      const auto runs = read_sweep(folder);
      add("Sweep " + folder.string(), folder, runs);
    } else if (std::filesystem::exists(RunFolder{folder}.result())) {
      single.push_back(read_run(folder, folder.string()));
    } else {
      fail("{}: expected a finished run (result.json) or sweep (results.jsonl), found neither",
           folder.string());
    }
  }
  if (!single.empty()) add("Runs", single.front().name, single);
  return report;
}

}  // namespace spml
