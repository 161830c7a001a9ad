// A review with a reviewer who knows the truth: how many answers find how many of the hidden
// labels, and what classifiers trained on the answers are worth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suggest/out_of_fold.h"

namespace spml {

struct SimulateOptions {
  size_t folds = 5;      // of the classifiers that are retrained
  size_t budget = 4000;  // answers
  size_t every = 500;    // answers between retrainings
  size_t refresh = 100;  // answers after which the questions are ranked anew
  int threads = 1;
};

struct SimulationRound {
  size_t answers = 0;
  double found = 0;                 // share of the hidden positives
  std::optional<double> precision;  // share of yes among the answers
  std::optional<double> test_map;   // in percent, of a classifier trained on what is known then
};

struct Simulation {
  std::string data, loss;
  size_t rows = 0, unknown = 0, hidden = 0;  // hidden: unknown positives
  // By this program's ranking; in random order, with the same classifier; and by `an` (unknown
  // counts as absent), ranking and classifier.
  std::vector<SimulationRound> rounds, random, an;
};

// Asks about the training part of the training file. The truth of those rows answers questions and
// nothing else. Error for data without truth.
Simulation simulate(const Dataset& data, const TrainConfig& config, const SimulateOptions& options,
                    const SuggestEvents& events = {});

// What `spml suggest --simulate --json` prints.
std::string json_text(const Simulation& simulation);

}  // namespace spml
