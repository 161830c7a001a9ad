#include "report/collect.h"

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "experiment/folder_kind.h"
#include "experiment/reproduce.h"
#include "experiment/run_folder.h"
#include "experiment/sweep.h"
#include "spml/version.h"

namespace spml {
namespace {

ReportRun read_report_run(const Path& folder, std::string name) {
  ReportRun run;
  run.name = std::move(name);
  run.record = read_run(folder);
  const Path search = RunFolder{folder}.search();
  if (path_exists(search)) run.search = read_search(search);
  return run;
}

// A run that a file in `folder` names.
ReportRun read_run_inside(const Path& folder, const Path& list, const std::string& name) {
  const Path path = run_inside(folder, name, list);
  return read_report_run(path, path.filename().string());
}

std::vector<ReportRun> read_sweep(const Path& folder) {
  const Path list = SweepFolder{folder}.results();
  std::vector<ReportRun> runs;
  for (const std::string& name : read_sweep_runs(list)) {
    runs.push_back(read_run_inside(folder, list, name));
  }
  if (runs.empty()) fail("{}: expected finished runs, found none", list.string());
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

ReportRow describe_row(const std::string& label, const std::string& loss,
                       std::optional<Winner> winner) {
  const LabelNeed needs = find_loss(loss).needs;
  ReportRow row;
  row.label = label;
  row.labels = labels_text(needs);
  row.single = needs == LabelNeed::kObserved;
  row.winner = std::move(winner);
  return row;
}

void rank_single_positive(std::vector<ReportRow>& rows) {
  std::vector<ReportRow*> rivals;
  std::vector<double> values;
  for (ReportRow& row : rows) {
    if (!row.single || !row.winner->test_map()) continue;
    rivals.push_back(&row);
    values.push_back(*row.winner->test_map());
  }
  const std::vector<int> ranks = best_and_second(values);
  for (size_t i = 0; i < rivals.size(); ++i) rivals[i]->rank = ranks[i];
}

ReportGroup make_group(const std::string& name, const Path& path, std::vector<ReportRow> rows,
                       std::vector<ReportRun> runs) {
  ReportGroup group{name, path.string(), runs.front().record.setup.classes, std::move(rows),
                    std::move(runs)};
  for (ReportRun& run : group.runs) {
    run.record.result.per_class_ap.clear();  // the page shows the winners'
    run.record.setup.classes.clear();        // the group has them
  }
  return group;
}

// A sweep has a row for each loss, and chooses among all runs of it.
ReportSection describe_sweep(const std::string& title, const Path& path,
                             std::vector<ReportRun> runs) {
  std::vector<SweepRun> finished;
  for (ReportRun& run : runs) {
    run.row = run.record.result.loss;
    finished.push_back({"", run.record.setup.identity.config, run.record});
  }
  std::vector<ReportRow> rows;
  for (auto& [loss, winner] : best_per_loss(finished)) {
    for (const size_t i : winner.members) runs[i].chosen = true;
    rows.push_back(describe_row(loss, loss, winner));
  }
  rank_single_positive(rows);
  return {title, {make_group("", path, std::move(rows), std::move(runs))}, std::nullopt};
}

// Only the sweep knows which seeds it was asked for.
void add_missing_seeds(const Path& file, std::vector<ReportRow>& rows) {
  if (!path_exists(file)) return;
  const SweepSummary summary = read_sweep_summary(file);
  for (ReportRow& row : rows) {
    const Winner* winner = summary.best.find(row.label);
    if (winner != nullptr) row.winner->seeds_missing = winner->seeds_missing;
  }
}

// The runs of an experiment on one data set, with the choices that it made.
std::optional<ReportGroup> describe_experiment_group(const Path& folder, const std::string& dataset,
                                                     const ExperimentResult& experiment) {
  const Path list = ReproductionFolder{folder}.results();
  std::vector<ReportRun> runs;
  std::vector<ReportRow> rows;
  for (const ResultRow& row : experiment.rows) {
    const auto *names = row.runs.find(dataset), *chosen = row.chosen.find(dataset);
    if (names == nullptr || chosen == nullptr) continue;
    std::optional<Winner> winner;
    for (const std::string& name : *names) {
      ReportRun run = read_run_inside(folder, list, name);
      run.row = row.label;
      run.chosen = std::ranges::find(*chosen, name) != chosen->end();
      if (run.chosen && !winner && experiment.show == Show::kTable) {
        winner.emplace().result = run.record.result;
      }
      runs.push_back(std::move(run));
    }
    try {
      rows.push_back(describe_row(row.label, row.loss, std::move(winner)));
    } catch (const Error& error) {
      fail("{}: row '{}': {}", list.string(), row.label, error.what());
    }
  }
  if (runs.empty()) return std::nullopt;
  return make_group(dataset, folder / dataset, std::move(rows), std::move(runs));
}

ReportSection describe_experiment(const Path& folder, const ExperimentResult& experiment) {
  ReportSection section{experiment.title, {}, experiment};
  for (const std::string& dataset : experiment.columns) {
    if (auto group = describe_experiment_group(folder, dataset, experiment)) {
      section.groups.push_back(std::move(*group));
    }
  }
  for (ResultRow& row : section.experiment->rows) {
    row.runs = {};  // the groups have them
    row.chosen = {};
  }
  return section;
}

void add_experiments(const Path& folder, const Reproduction& reproduction, Report& report) {
  for (const auto& [name, experiment] : reproduction.experiments) {
    report.sections.push_back(describe_experiment(folder, experiment));
  }
}

}  // namespace

Report collect(const Path& folder, const Reproduction& reproduction) {
  Report report{kVersion, {}};
  add_experiments(folder, reproduction, report);
  return report;
}

Report collect(const std::vector<Path>& folders) {
  Report report{kVersion, {}};
  std::vector<ReportRun> single;
  for (const Path& folder : folders) {
    const auto kind = kind_of_folder(folder);
    if (kind == FolderKind::kSweep && path_exists(SweepFolder{folder}.results())) {
      ReportSection& section = report.sections.emplace_back(
          describe_sweep("Sweep " + folder.string(), folder, read_sweep(folder)));
      add_missing_seeds(SweepFolder{folder}.best(), section.groups.front().rows);
    } else if (kind == FolderKind::kReproduction) {
      add_experiments(folder, read_reproduction(ReproductionFolder{folder}.results()), report);
    } else if (kind == FolderKind::kRun && path_exists(RunFolder{folder}.result())) {
      single.push_back(read_report_run(folder, folder.string()));
    } else {
      fail(
          "{}: expected a finished run (result.json), sweep (results.jsonl) or reproduction "
          "(results.json), found none",
          folder.string());
    }
  }
  if (!single.empty()) {
    const Path path = folders.size() == 1 ? folders.front() : Path();
    report.sections.push_back(describe_sweep("Runs", path, std::move(single)));
  }
  return report;
}

}  // namespace spml
