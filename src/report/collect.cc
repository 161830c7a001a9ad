#include "report/collect.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "reproduce/reproduce.h"
#include "run/folder_kind.h"
#include "run/run_folder.h"
#include "settings/grid.h"
#include "spml/version.h"
#include "sweep/sweep.h"

namespace spml {
namespace {

uint64_t size_of(const Path& file) {
  std::error_code ignored;  // an unreadable one is an Error when it is read
  const uintmax_t bytes = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : bytes;
}

// The runs of a report, all kept until the page is drawn.
class RunReader {
 public:
  ReportRun read(const Path& folder, std::string name) {
    const RunFolder files{folder};
    if (++runs_ > kMaxRuns) fail("{}: expected at most {} runs", folder.string(), kMaxRuns);
    for (const Path& file : {files.config(), files.metrics(), files.result(), files.search()}) {
      bytes_ = saturating_sum(bytes_, saturating_product(size_of(file), kTimesItsFile));
    }
    memory_.require(bytes_, fmt::format("{}: this run, with those before it,", folder.string()));
    ReportRun run;
    run.name = std::move(name);
    run.record = read_run(folder);
    if (path_exists(files.search())) run.search = read_search(files.search());
    return run;
  }
  // A run that a file in `folder` names.
  ReportRun read_inside(const Path& folder, const Path& list, const std::string& name) {
    const Path path = run_inside(folder, name, list);
    return read(path, path.filename().string());
  }

 private:
  static constexpr uint64_t kTimesItsFile = 8;  // a run in memory and in the page
  MemoryBudget memory_;
  uint64_t bytes_ = 0;
  size_t runs_ = 0;
};

// The first run of a group determines the classes.
void add_run(std::vector<ReportRun>& runs, ReportRun run) {
  if (!runs.empty()) run.record.setup.classes = std::vector<std::string>();
  runs.push_back(std::move(run));
}

std::vector<ReportRun> read_sweep(RunReader& reader, const Path& folder) {
  const Path list = SweepFolder{folder}.results();
  std::vector<ReportRun> runs;
  std::set<std::string> seen;
  for (const std::string& name : read_sweep_runs(list)) {
    if (!seen.insert(name).second) {
      fail("{}: expected every run once, found '{}' twice", list.string(), name);
    }
    add_run(runs, reader.read_inside(folder, list, name));
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

ReportRow describe_row(const std::string& label, LabelNeed needs, std::optional<Winner> winner) {
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
    run.record.result.per_class_ap.clear();  // the page shows only the winners'
    run.record.setup.classes.clear();        // the group has them
  }
  return group;
}

// A sweep has a row for each loss and chooses among all of its runs.
ReportSection describe_sweep(const std::string& title, const Path& path,
                             std::vector<ReportRun> runs) {
  std::vector<SweepRun> finished;
  for (ReportRun& run : runs) {
    run.row = run.record.result.loss;
    const TrainConfig config = run.record.setup.identity.config;
    finished.push_back({"", config, std::move(run.record)});
  }
  std::vector<ReportRow> rows;
  for (auto& [loss, winner] : best_per_loss(finished)) {
    for (const size_t i : winner.members) runs[i].chosen = true;
    const TrainConfig& config = finished[winner.members.front()].config;
    rows.push_back(describe_row(loss, loss_info(config).needs, winner));
  }
  for (size_t i = 0; i < runs.size(); ++i) runs[i].record = std::move(finished[i].record);
  rank_single_positive(rows);
  return {title, {make_group("", path, std::move(rows), std::move(runs))}, std::nullopt};
}

// Single runs, grouped by data set as if each group were a sweep: results on different data sets
// cannot be compared.
void add_runs(const std::vector<ReportRun>& runs, Report& report) {
  const auto data_of = [](const ReportRun& run) {
    return run.record.setup.identity.data_fingerprint;
  };
  std::vector<std::string> sets;
  for (const ReportRun& run : runs) {
    if (std::ranges::find(sets, data_of(run)) == sets.end()) sets.push_back(data_of(run));
  }
  for (const std::string& data : sets) {
    std::vector<ReportRun> of_data;
    for (const ReportRun& run : runs) {
      if (data_of(run) == data) of_data.push_back(run);
    }
    const Path path = of_data.size() == 1 ? Path(of_data.front().name) : Path();
    const std::string folder = of_data.front().record.setup.data;
    report.sections.push_back(
        describe_sweep(sets.size() == 1 ? "Runs" : "Runs on " + folder, path, std::move(of_data)));
  }
}

// Only the sweep knows which seeds were requested.
void add_missing_seeds(const Path& file, std::vector<ReportRow>& rows) {
  if (!path_exists(file)) return;
  const SweepSummary summary = read_sweep_summary(file);
  for (ReportRow& row : rows) {
    const Winner* winner = summary.best.find(row.label);
    if (winner != nullptr) row.winner->seeds_missing = winner->seeds_missing;
  }
}

// The runs of an experiment on one data set, with its choices.
std::optional<ReportGroup> describe_experiment_group(RunReader& reader, const Path& folder,
                                                     const std::string& dataset,
                                                     const ExperimentResult& experiment) {
  const Path list = ReproductionFolder{folder}.results();
  std::vector<ReportRun> runs;
  std::vector<ReportRow> rows;
  for (const ResultRow& row : experiment.rows) {
    const auto *names = row.runs.find(dataset), *chosen = row.chosen.find(dataset);
    if (names == nullptr || chosen == nullptr) continue;
    std::optional<Winner> winner;
    const std::set<std::string> among(chosen->begin(), chosen->end());
    std::set<std::string> seen;  // points of a curve may share a run
    for (const std::string& name : *names) {
      if (!seen.insert(name).second) continue;
      ReportRun run = reader.read_inside(folder, list, name);
      run.row = row.label;
      run.chosen = among.contains(name);
      std::vector<double> per_class_ap = std::exchange(run.record.result.per_class_ap, {});
      if (run.chosen && !winner && experiment.show == Show::kTable) {
        winner.emplace().result = run.record.result;
        winner->result.per_class_ap = std::move(per_class_ap);
      }
      add_run(runs, std::move(run));
    }
    try {
      rows.push_back(describe_row(row.label, find_loss(row.loss).needs, std::move(winner)));
    } catch (const Error& error) {
      fail("{}: row '{}': {}", list.string(), row.label, error.what());
    }
  }
  if (runs.empty()) return std::nullopt;
  return make_group(dataset, folder / dataset, std::move(rows), std::move(runs));
}

ReportSection describe_experiment(RunReader& reader, const Path& folder,
                                  const ExperimentResult& experiment) {
  ReportSection section{experiment.title, {}, experiment};
  for (const std::string& dataset : experiment.columns) {
    if (auto group = describe_experiment_group(reader, folder, dataset, experiment)) {
      section.groups.push_back(std::move(*group));
    }
  }
  for (ResultRow& row : section.experiment->rows) {
    row.runs = {};  // the groups have them
    row.chosen = {};
  }
  return section;
}

void add_experiments(RunReader& reader, const Path& folder, const Reproduction& reproduction,
                     Report& report) {
  for (const auto& [name, experiment] : reproduction.experiments) {
    report.sections.push_back(describe_experiment(reader, folder, experiment));
  }
}

}  // namespace

Report collect(const Path& folder, const Reproduction& reproduction) {
  Report report{kVersion, {}};
  RunReader reader;
  add_experiments(reader, folder, reproduction, report);
  return report;
}

Report collect(const std::vector<Path>& folders) {
  Report report{kVersion, {}};
  RunReader reader;
  std::vector<ReportRun> single;
  for (const Path& folder : folders) {
    const auto kind = kind_of_folder(folder);
    if (kind == FolderKind::kSweep && path_exists(SweepFolder{folder}.results())) {
      ReportSection& section = report.sections.emplace_back(
          describe_sweep("Sweep " + folder.string(), folder, read_sweep(reader, folder)));
      add_missing_seeds(SweepFolder{folder}.best(), section.groups.front().rows);
    } else if (kind == FolderKind::kReproduction) {
      add_experiments(reader, folder, read_reproduction(ReproductionFolder{folder}.results()),
                      report);
    } else if (kind == FolderKind::kRun && path_exists(RunFolder{folder}.result())) {
      single.push_back(reader.read(folder, folder.string()));
    } else {
      fail(
          "{}: expected a finished run (result.json), sweep (results.jsonl) or reproduction "
          "(results.json), found none",
          folder.string());
    }
  }
  add_runs(single, report);
  return report;
}

}  // namespace spml
