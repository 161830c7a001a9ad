#include "reproduce/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/text.h"
#include "formats/json.h"
#include "formats/json_object.h"
#include "settings/config_json.h"
#include "settings/grid.h"
#include "sweep/sweep.h"

namespace spml {
namespace {

constexpr double kMaxNumber = 1e9;
constexpr size_t kMaxName = 512;  // bytes of what stands in a table

// The words of the flags of `spml train`, which are usage errors there, with the place.
template <class Parse>
auto parse_words(const JsonObject& object, const std::string& key, Parse parse) {
  try {
    return parse(object.text(key, ""));
  } catch (const Error& error) {
    fail("{}: {}", object.place(key), error.what());
  }
}

std::string checked_name(std::string name, const std::string& place) {
  if (name.size() > kMaxName) {
    fail("{}: expected at most {} bytes, found {}; shorten it", place, kMaxName, name.size());
  }
  return name;
}

std::string name_of(const JsonObject& object, const std::string& key, std::string otherwise) {
  return checked_name(object.text(key, std::move(otherwise)), object.place(key));
}

std::map<std::string, double> read_paper(const JsonObject& object, const std::string& key) {
  std::map<std::string, double> numbers;
  if (!object.has(key)) return numbers;
  const JsonObject by_dataset(object.at(key), object.place(key));
  if (object.at(key).size() > JsonObject::kMaxItems) {
    fail("{}: expected at most {} data sets, found {}", object.place(key), JsonObject::kMaxItems,
         object.at(key).size());
  }
  for (const auto& [dataset, value] : by_dataset.items()) {
    numbers[checked_name(dataset, object.place(key))] =
        JsonObject::number_of(value, by_dataset.place(dataset), -kMaxNumber, kMaxNumber);
  }
  return numbers;
}

ExperimentRow read_row(const JsonObject& object, const std::vector<Mode>& modes) {
  std::vector<std::string> keys = {"label", "labels", "loss",      "param", "mode",
                                   "only",  "extra",  "statistic", "size",  "paper"};
  for (size_t i = 1; i < modes.size(); ++i) {
    keys.push_back(fmt::format("paper_{}", to_string(modes[i])));
  }
  object.allow_only(keys);
  ExperimentRow row;
  row.loss = object.text("loss", "");
  row.statistic = object.text("statistic", "");
  if (row.loss.empty() == row.statistic.empty()) {
    fail("{}: expected either a loss or a statistic", object.place("loss"));
  }
  if (!row.statistic.empty()) {
    const auto names = statistic_names();
    if (std::find(names.begin(), names.end(), row.statistic) == names.end()) {
      fail("{}: expected one of {}, found '{}'", object.place("statistic"), fmt::join(names, ", "),
           row.statistic);
    }
  }
  row.label = name_of(object, "label", row.loss.empty() ? row.statistic : row.loss);
  row.labels = name_of(object, "labels", "");
  row.size = object.count("size", row.size, 1, 1000000);
  row.extra = object.flag("extra");
  if (object.has("mode")) row.mode = parse_words(object, "mode", mode_from);
  if (object.has("only")) row.only = parse_words(object, "only", mode_from);
  if (object.has("param")) {
    const JsonObject params(object.at("param"), object.place("param"));
    for (const auto& [name, value] : params.items()) {
      if (value == "L") {
        row.params[name] = std::nullopt;
      } else {
        row.params[name] =
            JsonObject::number_of(value, params.place(name), -kMaxNumber, kMaxNumber);
      }
    }
  }
  row.paper[modes.front()] = read_paper(object, "paper");
  for (size_t i = 1; i < modes.size(); ++i) {
    row.paper[modes[i]] = read_paper(object, fmt::format("paper_{}", to_string(modes[i])));
  }
  return row;
}

Variation read_variation(const JsonObject& object) {
  Variation vary;
  for (const auto& [name, value] : object.items()) {
    if (!vary.name.empty()) fail("{}: expected one key, what varies", object.place(name));
    vary.name = name;
    if (value.is_object() && name == "k") {
      const JsonObject interval(value, object.place(name));
      interval.allow_only({"labelled_rows", "values"});
      vary.labelled_rows = interval.count("labelled_rows", 5, 1, 1000000);
      vary.count = interval.count("values", 10, 2, JsonObject::kMaxItems);
      continue;
    }
    const bool share = name == "subsample" || name == "complete";
    const double min = name == "subsample" || name == "k" ? 1e-9 : share ? 0 : -kMaxNumber;
    const double max = share ? 1 : kMaxNumber;
    vary.values = object.list(name, [min, max](const auto& item, const std::string& place) {
      return JsonObject::number_of(item, place, min, max);
    });
  }
  if (vary.name.empty()) fail("{}: expected one key, what varies", object.place(""));
  return vary;
}

// What is shown must be there to be shown.
void check_together(const Experiment& experiment, std::string_view where) {
  std::set<std::string> labels;
  for (const ExperimentRow& row : experiment.rows) {
    if (!labels.insert(row.label).second) {
      fail("{}: expected rows with different labels, found '{}' twice", where, row.label);
    }
    if (!row.statistic.empty() && experiment.show != Show::kTable) {
      fail("{}: statistics such as '{}' are shown in tables only", where, row.statistic);
    }
  }
  if ((experiment.show == Show::kCurves) != !experiment.vary.name.empty()) {
    fail("{}: expected 'vary' together with \"show\": \"curves\"", where);
  }
  if (experiment.show == Show::kHeatMaps && !experiment.settings.record_unobserved_positives) {
    fail("{}: heatmaps need {{\"record\": \"unobserved-positives\"}} in 'settings'", where);
  }
}

}  // namespace

std::string_view to_string(Show show) {
  switch (show) {
    case Show::kCurves:
      return "curves";
    case Show::kHeatMaps:
      return "heatmaps";
    case Show::kTable:
      break;
  }
  return "table";
}

Show show_from(std::string_view name) {
  for (const Show show : {Show::kTable, Show::kCurves, Show::kHeatMaps}) {
    if (to_string(show) == name) return show;
  }
  fail("expected table, curves or heatmaps, found '{}'", name);
}

bool is_trained(const ExperimentRow& row, Mode mode) {
  return !row.loss.empty() && (!row.only || *row.only == mode);
}

bool trains_networks(const Experiment& experiment, Mode mode) {
  return std::ranges::any_of(experiment.rows, [mode](const ExperimentRow& row) {
    return is_trained(row, mode) && row.mode.value_or(mode) != Mode::kLinear;
  });
}

std::vector<std::string> statistic_names() {
  return {"labels", "min-positives", "max-positives", "mean-positives", "k-low", "k-high"};
}

Experiment parse_experiment(std::string_view text, std::string name, std::string_view where) {
  const nlohmann::json json = parse_json(text, where);
  const JsonObject object(json, std::string(where));
  object.allow_only({"title", "note", "caption", "row_title", "show", "metric", "modes", "datasets",
                     "settings", "lr", "batch", "seeds", "settings_from", "vary", "rows"});
  Experiment experiment;
  experiment.name = std::move(name);
  experiment.title = name_of(object, "title", experiment.name);
  experiment.note = object.text("note", "");
  experiment.caption = object.text("caption", "");
  experiment.row_title = name_of(object, "row_title", experiment.row_title);
  if (object.has("show")) experiment.show = parse_words(object, "show", show_from);
  experiment.metric = object.text("metric", experiment.metric);
  if (experiment.metric != "test_map" && experiment.metric != "train_map" &&
      experiment.metric != "val_map") {
    fail("{}: expected test_map, train_map or val_map, found '{}'", object.place("metric"),
         experiment.metric);
  }
  if (object.has("modes")) {
    experiment.modes = object.list("modes", [](const auto& item, const std::string& place) {
      try {
        return mode_from(JsonObject::text_of(item, place));
      } catch (const Error& error) {
        fail("{}: {}", place, error.what());
      }
    });
  }
  experiment.datasets = object.list("datasets", [](const auto& item, const std::string& place) {
    return checked_name(JsonObject::text_of(item, place), place);
  });
  if (object.has("settings")) {
    experiment.settings = experiment_settings(object.at("settings"), object.place("settings"));
  }
  experiment.lr = object.list("lr", [](const auto& item, const std::string& place) {
    return JsonObject::number_of(item, place, 1e-12, kMaxNumber);
  });
  experiment.batch = object.list("batch", [](const auto& item, const std::string& place) {
    return JsonObject::count_of(item, place, 1, 1 << 20);
  });
  if (experiment.lr.empty()) experiment.lr = kPaperLearningRates;
  if (experiment.batch.empty()) experiment.batch = kPaperBatches;
  experiment.seeds = static_cast<int>(object.count("seeds", 1, 1, JsonObject::kMaxItems));
  experiment.settings_from = object.text("settings_from", "");
  if (object.has("vary")) {
    experiment.vary = read_variation({object.at("vary"), object.place("vary")});
  }
  experiment.rows = object.list("rows", [&](const auto& item, const std::string& place) {
    return read_row({item, place}, experiment.modes);
  });
  if (experiment.rows.empty()) fail("{}: expected 'rows', what is trained or counted", where);
  check_together(experiment, where);
  const uint64_t varied =
      std::max({size_t{1}, experiment.vary.values.size(), experiment.vary.count});
  const uint64_t runs =
      saturating_product(experiment.rows.size(), varied, experiment.lr.size(),
                         experiment.batch.size(), static_cast<uint64_t>(experiment.seeds));
  if (runs > kMaxRuns) {
    fail("{}: expected at most {} runs on a data set, found {}", where, kMaxRuns, runs);
  }
  return experiment;
}

}  // namespace spml
