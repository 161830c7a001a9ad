// The newcomer's first minute: built-in data, the losses of the paper's first table, its grid.
#pragma once

#include <string>
#include <vector>

#include "sweep/sweep.h"

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

// What the demo's data is like.
struct DemoData {
  size_t rows = 0, train_rows = 0, features = 0, labels = 0;
  double positives_per_row = 0;
};

struct DemoResult {
  SweepSummary sweep;
  DemoData data;
};

// Makes the data unless it is there and trains what is missing. Error for a folder that holds
// something else.
DemoResult run_demo(const DemoFolder& folder, const DemoOptions& options,
                    const SweepEvents& events = {});

// What the results of run_demo show, a sentence each: how close one label per example comes to all
// labels, which loss is best, and what the usual assumption costs.
std::vector<std::string> conclusions(const DemoResult& result);

// The sweep's summary with "data", "conclusions" and "page" (null when there is none).
std::string json_text(const DemoResult& result, const std::optional<Path>& page);

}  // namespace spml
