// What a search tells of every run it tried: search.jsonl in the folder of the run it led to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "spml/loss.h"

namespace spml {

// A line of search.jsonl.
struct SearchTrial {
  size_t trial = 0;   // from 1
  std::string stage;  // screen or final
  std::string loss;
  LossParameters params;  // that are not the loss's defaults
  std::string transform;
  double lr = 0, weight_decay = 0;
  size_t batch = 0;
  int epochs = 0, best_epoch = 0;
  double subsample = 1;
  std::optional<double> val_map;  // nothing when the trial failed
  std::optional<double> score;    // what the choice is by, higher is better
  std::string error;
  bool blend_ridge = false;
  bool chosen = false;
};
std::vector<SearchTrial> read_search(const Path& file);

}  // namespace spml
