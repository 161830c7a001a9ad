// Choosing among finished runs: the configuration with the best validation MAP of each loss.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/named_list.h"
#include "run/run_record.h"

namespace spml {

// A finished run of a sweep.
struct SweepRun {
  std::string run;     // its folder, below the sweep's
  TrainConfig config;  // as it was asked for
  RunRecord record;
};

// The chosen configuration of a loss, with what is known of it.
struct Winner {
  RunResult result;  // of its first seed
  std::string run;   // the folder of that
  // With several seeds; the deviation is that of a sample. Nothing without truth.
  std::optional<double> val_map_mean, test_map_mean, test_map_std, train_map_mean, train_map_std;
  std::vector<uint64_t> seeds;          // that the means are over; empty when it is one
  std::vector<uint64_t> seeds_missing;  // asked for and not finished
  std::vector<size_t> members;          // its runs among those given, one for each seed

  double val_map() const { return val_map_mean.value_or(result.val_map); }
  std::optional<double> test_map() const { return test_map_mean ? test_map_mean : result.test_map; }
};

// The winner of each loss, in the order in which the losses first appear: the configuration with
// the best mean validation MAP over its seeds, the first of equals. `grid` is what was asked for;
// a winner says which of its seeds are missing.
NamedList<Winner> best_per_loss(std::span<const SweepRun> runs,
                                std::span<const TrainConfig> grid = {});

// The configuration apart from its seed, as a text to compare: runs that are averaged agree in it.
std::string settings_key(const TrainConfig& config);

// For each value 1 if it is the largest, 2 if the second-largest, else 0; the first of equals is
// the larger.
std::vector<int> best_and_second(std::span<const double> values);

}  // namespace spml
