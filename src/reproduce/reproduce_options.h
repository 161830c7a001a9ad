// The options of a reproduction, and the folder it is kept in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace spml {

// The folder of reproductions. Experiments share it and its runs: a run that two of them need on
// the same data is trained once.
struct ReproductionFolder {
  Path path;

  Path results() const { return path / "results.json"; }
  Path report() const { return path / "report.html"; }
  Path csv(const std::string& key) const { return path / (key + ".csv"); }
};

struct NamedData {
  std::string name;  // as in the experiment, or any other
  Path folder;
};

struct ReproduceOptions {
  Path out;
  std::vector<NamedData> data;
  std::optional<Mode> mode;  // default: the experiment's first
  std::optional<int> seeds;  // default: the experiment's
  int jobs = 0;            // runs at the same time; 0: all threads, one where networks are trained
  int threads = 1;         // of all runs together
  bool overwrite = false;  // do finished runs again
  bool beside_others = false;  // the folder may hold other files, which are kept
  ImageConfig image;           // of the modes other than linear
  ImageModelMaker make_image_model;
  Cluster* cluster = nullptr;  // as in SweepOptions; rank 0 writes the results
};

}  // namespace spml
