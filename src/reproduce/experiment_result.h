// The results of an experiment: the numbers of its table or figure beside the published ones.
// docs/formats.md describes results.json, which holds them; experiment_result.cc has the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/named_list.h"
#include "reproduce/definition.h"
#include "run/machine.h"

namespace spml {

// Values by the name of a data set.
template <class T>
using ByDataset = NamedList<T>;

// A number of a table or a point of a curve; MAP in percent.
struct ResultPoint {
  std::optional<double> x;      // value of the varied setting
  std::optional<double> paper;  // published
  std::optional<double> ours;   // empty: not measured, or not measurable on that data
  std::optional<double> std;    // over seeds
  std::optional<double> labels_seen;
  // Of the chosen run; empty if none was trained.
  std::optional<double> val_map, lr;
  std::optional<size_t> batch;
  std::optional<int> best_epoch;
  std::optional<double> difference;  // ours - paper
  std::optional<int> rank;           // 1 and 2: best and second-best of those that are compared
};

// Counts of unobserved positives by epoch and bin of predicted probability.
using Histograms = std::vector<std::vector<uint32_t>>;

struct ResultRow {
  std::string label, labels;
  std::string statistic;                                // "" for a loss
  std::string loss;                                     // "" for a statistic
  std::map<std::string, std::optional<double>> params;  // nothing stands for L
  Mode mode = Mode::kLinear;
  bool single = false;  // the loss sees observed labels only
  bool extra = false;   // not in the paper, not ranked
  ByDataset<ResultPoint> cells;
  ByDataset<std::vector<ResultPoint>> curves;
  ByDataset<Histograms> histograms;
  ByDataset<std::vector<std::string>> runs;    // the runs validation chose among, below OUT
  ByDataset<std::vector<std::string>> chosen;  // the seeds of the chosen configuration
  ByDataset<ResultPoint> references;           // at the true k
};

struct ExperimentResult {
  std::string experiment, title, note, caption, row_title = "loss";
  Show show = Show::kTable;
  std::string metric = "test_map", metric_text;
  std::string x;  // the varied setting, or ""
  Mode mode = Mode::kLinear;
  int seeds = 1;
  std::vector<std::string> columns;  // names of data sets
  NamedList<std::string> data;       // their folders
  std::vector<ResultRow> rows;
  size_t runs = 0;
  std::string version;
  Machine machine;
  double seconds = 0;

  const ResultRow* find_row(const std::string& label) const;
};

// results.json: the experiments that share a folder.
struct Reproduction {
  std::string version;
  NamedList<ExperimentResult> experiments;
};

std::string json_text(const ExperimentResult& result);  // for people and programs
std::string json_text(const Reproduction& reproduction);
Reproduction read_reproduction(const Path& file);

}  // namespace spml
