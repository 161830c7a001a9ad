// An experiment as data: the losses, data sets and settings, what is shown, and the published
// numbers. docs/formats.md describes the JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "settings/config.h"

namespace spml {

enum class Show { kTable, kCurves, kHeatMaps };

// A row of a table or a line of a figure: a loss to train, or a statistic of the labels.
struct ExperimentRow {
  std::string label;
  std::string labels;                                   // the labels a loss sees, in words
  std::string loss;                                     // "" for a statistic
  std::map<std::string, std::optional<double>> params;  // empty stands for L
  std::optional<Mode> mode;                             // if it differs from the experiment's
  std::optional<Mode> only;                             // left out in other modes
  bool extra = false;                                   // not in the paper
  std::string statistic;                                // "" for a loss; see statistic_names()
  size_t size = 5;                                      // labelled rows, for k-low and k-high
  std::map<Mode, std::map<std::string, double>> paper;  // published numbers by data set
};

// The setting that varies: "subsample", "k" or a parameter of the losses.
struct Variation {
  std::string name;            // "" when nothing varies
  std::vector<double> values;  // given, or ...
  size_t labelled_rows = 0;    // ... `count` of them over the interval of k that this many labelled
  size_t count = 0;            // rows give
};

struct Experiment {
  std::string name;
  std::string title, note, caption, row_title = "loss";
  Show show = Show::kTable;
  std::string metric = "test_map";
  std::vector<Mode> modes = {Mode::kLinear};  // modes it can be run in, the default first
  std::vector<std::string> datasets;          // with published numbers, in order
  TrainConfig settings;                       // of every run
  std::vector<double> lr;                     // the grid that is searched
  std::vector<size_t> batch;
  int seeds = 1;
  std::string settings_from;  // experiment whose winners give lr and batch instead of a search
  Variation vary;
  std::vector<ExperimentRow> rows;
};

std::string_view to_string(Show show);
Show show_from(std::string_view name);  // Error naming the choices
std::vector<std::string> statistic_names();

// Whether a row is trained when the experiment is run in that mode.
bool is_trained(const ExperimentRow& row, Mode mode);
// Whether it trains networks, which need images.
bool trains_networks(const Experiment& experiment, Mode mode);

// Error naming `where`, the key, what was expected and what was found.
Experiment parse_experiment(std::string_view text, std::string name, std::string_view where);

// One of the paper's by name, or a file whose name ends in .json. Its losses and their parameters
// exist. Error that lists the names for anything else.
Experiment load_experiment(const std::string& name_or_file);
std::vector<std::string> built_in_experiments();

}  // namespace spml
