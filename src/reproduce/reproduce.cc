#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/fail.h"
#include "base/folders.h"
#include "base/leftovers.h"
#include "reproduce/on_dataset.h"
#include "run/folder_kind.h"
#include "spml/version.h"

namespace spml {
namespace {

using Row = ExperimentRow;

void check_can_run(const Experiment& experiment, const ReproduceOptions& options, Mode mode) {
  if (std::ranges::find(experiment.modes, mode) == experiment.modes.end()) {
    std::vector<std::string_view> names;
    for (const Mode known : experiment.modes) names.push_back(to_string(known));
    fail_usage("{}: expected --mode {}, found {}", experiment.name, fmt::join(names, " or "),
               to_string(mode));
  }
  for (const Row& row : experiment.rows) {
    if (is_trained(row, mode)) {
      check_can_train(row.mode.value_or(mode), options.make_image_model);
    }
  }
}

// The results of earlier commands in the same folder.
Reproduction read_earlier(const Path& path) {
  if (!path_exists(path)) return {};
  try {
    return read_reproduction(path);
  } catch (const Error& error) {
    fail("{}; it is not a result of spml reproduce: choose another --out", error.what());
  }
}

// Rows with what is known before anything is run: labels and published numbers.
std::vector<ResultRow> empty_rows(const Experiment& experiment, Mode mode) {
  std::vector<ResultRow> rows;
  for (const Row& row : experiment.rows) {
    if (row.only && *row.only != mode) continue;
    ResultRow& result = rows.emplace_back();
    result.label = row.label;
    result.labels = row.labels;
    result.statistic = row.statistic;
    result.extra = row.extra;
    if (!row.loss.empty()) {
      result.loss = row.loss;
      result.params = row.params;
      result.mode = row.mode.value_or(mode);
      result.single = find_loss(row.loss).needs == LabelNeed::kObserved;
    }
    const auto paper = row.paper.find(mode);
    if (paper == row.paper.end()) continue;
    for (const auto& [dataset, value] : paper->second) result.cells[dataset].paper = value;
  }
  return rows;
}

ExperimentResult empty_result(const Experiment& experiment, const ReproduceOptions& options,
                              Mode mode) {
  ExperimentResult result;
  result.experiment = experiment.name;
  result.title = experiment.title;
  result.note = experiment.note;
  result.caption = experiment.caption;
  result.row_title = experiment.row_title;
  result.show = experiment.show;
  result.metric = experiment.metric;
  result.metric_text = experiment.metric == "train_map" ? "train MAP"
                       : experiment.metric == "val_map" ? "val MAP"
                                                        : "test MAP";
  result.x = experiment.vary.name;
  result.mode = mode;
  result.seeds = options.seeds.value_or(experiment.seeds);
  result.columns = experiment.datasets;
  result.rows = empty_rows(experiment, mode);
  result.version = kVersion;
  result.machine = this_machine();
  return result;
}

void add_column(ExperimentResult& result, const std::string& dataset, const std::string& folder) {
  result.data[dataset] = folder;
  if (std::ranges::find(result.columns, dataset) == result.columns.end()) {
    result.columns.push_back(dataset);
  }
}

// Takes over what a row has of a data set. The published number is the experiment's.
void keep_row(ResultRow& row, const ResultRow& earlier, const std::string& dataset) {
  const auto keep = [&](auto& to, const auto& from) {
    if (const auto* value = from.find(dataset)) to[dataset] = *value;
  };
  if (const ResultPoint* cell = earlier.cells.find(dataset)) {
    ResultPoint& to = row.cells[dataset];
    const auto paper = to.paper;
    to = *cell;
    to.paper = paper;
  }
  keep(row.curves, earlier.curves);
  keep(row.references, earlier.references);
  keep(row.histograms, earlier.histograms);
  keep(row.runs, earlier.runs);
  keep(row.chosen, earlier.chosen);
}

// Data sets of an earlier command that are not given now keep the numbers of rows that are still
// the same.
void keep_other_datasets(ExperimentResult& result, const ExperimentResult& earlier,
                         const std::vector<NamedData>& given) {
  if (earlier.show != result.show || earlier.metric != result.metric || earlier.x != result.x) {
    return;
  }
  for (const auto& [dataset, folder] : earlier.data) {
    if (std::ranges::find(given, dataset, &NamedData::name) != given.end()) continue;
    add_column(result, dataset, folder);
    for (ResultRow& row : result.rows) {
      const ResultRow* before = earlier.find_row(row.label);
      const bool same = before != nullptr && before->loss == row.loss &&
                        before->params == row.params && before->mode == row.mode &&
                        before->statistic == row.statistic;
      if (same) keep_row(row, *before, dataset);
    }
  }
}

// Differences from the paper, and 1 and 2 for the best and the second-best of the losses that see
// observed labels only.
void compare(std::vector<ResultRow>& rows, const std::string& dataset) {
  std::vector<ResultPoint*> rivals;
  std::vector<double> values;
  for (ResultRow& row : rows) {
    ResultPoint* cell = row.cells.find(dataset);
    if (cell == nullptr || !cell->ours) continue;
    if (cell->paper) cell->difference = *cell->ours - *cell->paper;
    cell->rank.reset();
    if (!row.single || row.extra) continue;
    rivals.push_back(cell);
    values.push_back(*cell->ours);
  }
  const std::vector<int> ranks = best_and_second(values);
  for (size_t i = 0; i < rivals.size(); ++i) {
    if (ranks[i] > 0) rivals[i]->rank = ranks[i];
  }
}

size_t count_runs(const std::vector<ResultRow>& rows) {
  std::set<std::string> names;
  for (const ResultRow& row : rows) {
    for (const auto& [dataset, runs] : row.runs) names.insert(runs.begin(), runs.end());
  }
  return names.size();
}

// The paper's experiments in its order, then the others.
NamedList<ExperimentResult> in_order(NamedList<ExperimentResult>&& all) {
  NamedList<ExperimentResult> ordered;
  for (const std::string& name : built_in_experiments()) {
    for (const auto& [key, result] : all) {
      if (result.experiment == name) ordered[key] = result;
    }
  }
  for (auto& [key, result] : all) ordered[key] = std::move(result);
  return ordered;
}

}  // namespace

std::string result_key(const Experiment& experiment, Mode mode) {
  if (mode == experiment.modes.front()) return experiment.name;
  return fmt::format("{}-{}", experiment.name, to_string(mode));
}

Reproduction reproduce(const Experiment& experiment, const ReproduceOptions& options,
                       const SweepEvents& events) {
  const auto start = std::chrono::steady_clock::now();
  const Mode mode = options.mode.value_or(experiment.modes.front());
  check_can_run(experiment, options, mode);
  const bool is_first = is_first_of(options.cluster);
  std::optional<FileLock> lock;
  if (is_first) {
    const auto expect = options.beside_others ? expect_kind : expect_own_folder;
    expect(options.out, FolderKind::kReproduction);
    make_folder(options.out);
    lock.emplace(options.out / ".lock", options.out.string());
    remove_leftovers(options.out, [](std::string_view name) { return name == "results.json"; });
  }
  const ReproductionFolder folder{options.out};
  Reproduction all = read_earlier(folder.results());
  if (options.cluster != nullptr) options.cluster->barrier();

  const std::string key = result_key(experiment, mode);
  ExperimentResult result = empty_result(experiment, options, mode);
  if (const ExperimentResult* earlier = all.experiments.find(key)) {
    keep_other_datasets(result, *earlier, options.data);
  }
  for (const NamedData& named : options.data) {
    add_column(result, named.name, absolute_path(named.folder).string());
    OnDataset(experiment, options, events, mode, named, all).add_to(result.rows);
  }
  for (const auto& [dataset, path] : result.data) compare(result.rows, dataset);
  result.runs = count_runs(result.rows);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  all.version = kVersion;
  all.experiments[key] = std::move(result);
  all.experiments = in_order(std::move(all.experiments));
  if (is_first) write_file(folder.results(), json_text(all));
  return all;
}

}  // namespace spml
