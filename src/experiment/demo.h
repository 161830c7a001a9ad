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

// Makes the data unless it is there, trains what is missing, and returns best.json's contents.
Json run_demo(const DemoFolder& folder, int jobs, const SweepEvents& events = {});

// What the winners per loss (best.json's "best") show, a sentence each: how close one label per
// example comes to all labels, which loss is best, and what the usual assumption costs.
std::vector<std::string> conclusions(const Json& best);

}  // namespace spml
