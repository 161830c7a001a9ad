// A simulated review whose reviewer knows the truth: the share of hidden labels found against the
// number of answers, and the test MAP of classifiers trained on the answers.
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
  size_t refresh = 100;  // answers between two rankings of the questions
  int threads = 1;
};

struct SimulationRound {
  size_t answers = 0;
  double found = 0;                 // share of the hidden positives
  std::optional<double> precision;  // share of yes among the answers
  std::optional<double>
      test_map;  // in percent, of a classifier trained on the labels known by then
};

struct Simulation {
  std::string data, loss;
  size_t rows = 0, unknown = 0, hidden = 0;  // hidden: unknown positives
  // In this program's order; in random order, with the same classifier; and with `an` (unknown
  // counts as absent) both ranking and classifying.
  std::vector<SimulationRound> rounds, random, an;
};

// Asks about the training part of the training file. The truth of those rows is used only to answer
// questions. Error for data without truth.
Simulation simulate(const Dataset& data, const TrainConfig& config, const SimulateOptions& options,
                    const SuggestEvents& events = {});

// What `spml suggest --simulate --json` prints.
std::string json_text(const Simulation& simulation);

}  // namespace spml
