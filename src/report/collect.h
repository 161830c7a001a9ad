// From the folders of runs, sweeps and reproductions to what the page draws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "reproduce/experiment_result.h"
#include "search/trial.h"
#include "sweep/winners.h"

namespace spml {

struct ReportRun {
  std::string name, row;  // the row of the table it belongs to
  bool chosen = false;    // on validation, among the runs of its row
  RunRecord record;
  std::vector<SearchTrial> search;  // the search that led to it, if any
};

struct ReportRow {
  std::string label, labels;  // the loss's name, and the labels it sees
  bool single = false;        // observed positives only
  int rank = 0;               // 1 or 2: best and second-best test MAP among those; 0 for the others
  std::optional<Winner> winner;
};

// Runs on one data set.
struct ReportGroup {
  std::string name, path;
  std::vector<std::string> classes;
  std::vector<ReportRow> rows;
  std::vector<ReportRun> runs;
};

// A sweep is a section with one group, all single runs together are another, and an experiment of a
// reproduction is a section with a group for each data set.
struct ReportSection {
  std::string title;
  std::vector<ReportGroup> groups;
  std::optional<ExperimentResult> experiment;  // of a reproduction; the groups have its runs
};

struct Report {
  std::string version;
  std::vector<ReportSection> sections;
};

// Error for any other folder, and for files that spml did not write.
Report collect(const std::vector<Path>& folders);

// The sections of a reproduction in memory; its runs are read from their folders.
Report collect(const Path& folder, const Reproduction& reproduction);

// What the page's script reads; the keys are in report_json.cc.
std::string json_text(const Report& report);

}  // namespace spml
