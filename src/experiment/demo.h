// The newcomer's first minute: built-in data, the losses of the paper's first table, its grid.
#pragma once

#include <string>
#include <vector>

#include "experiment/sweep.h"

namespace spml {

struct DemoFolder {
  Path path;

  Path data() const { return path / "data"; }
  Path sweep() const { return path / "sweep"; }
  Path report() const { return path / "report.html"; }
};

struct DemoOptions {
  int jobs = 1;
  size_t rows = 5000;              // four fifths to train on; the test file has half as many
  std::optional<int> epochs = {};  // default: the paper's
};

// Makes the data unless it is there, trains what is missing, and returns best.json's contents with
// "data": {"rows", "train_rows", "features", "labels", "positives_per_row"}. Error for a folder
// that holds something else.
Json run_demo(const DemoFolder& folder, const DemoOptions& options, const SweepEvents& events = {});

// What the results of run_demo show, a sentence each: how close one label per example comes to all
// labels, which loss is best, and what the usual assumption costs.
std::vector<std::string> conclusions(const Json& results);

}  // namespace spml
