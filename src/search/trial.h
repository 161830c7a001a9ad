// What a search records of every run it tried: search.jsonl in the folder of the run it led to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "settings/config.h"

namespace spml {

// A line of search.jsonl.
struct SearchTrial {
  size_t trial = 0;    // from 1
  std::string stage;   // screen or final
  TrainConfig config;  // what the table says is in_trial; blend_ridge
  int best_epoch = 0;
  std::optional<double> val_map = {};  // nothing when the trial failed
  std::optional<double> score = {};    // what the choice is by, higher is better
  std::string error = {};
  bool chosen = false;
};
std::vector<SearchTrial> read_search(const Path& file);

}  // namespace spml
