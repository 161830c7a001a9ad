// --loss auto: settings chosen by a search. Many short runs, then whole ones of the best; what
// validation prefers is trained into the run folder, and search.jsonl tells of every trial.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/run.h"
#include "experiment/search_trial.h"

namespace spml {

class SearchJournal;

// The name that stands for the search where a loss is expected.
inline constexpr const char* kAutoLoss = "auto";

// How many trials a search has unless told otherwise.
inline constexpr size_t kDefaultTrials = 56;

struct AutoOptions {
  RunOptions run;
  size_t trials = kDefaultTrials;    // at most; the result depends on it, not on time or threads
  std::optional<double> time_limit;  // seconds after which no trial is started
  bool refit = false;                // train the chosen settings once more on train and val
};

// The settings that a search starts from, best known first, for so many training rows. Those of
// `base` that are not searched (seed, split, observed labels, k ...) stay as they are.
std::vector<TrainConfig> screening_candidates(const TrainConfig& base, size_t train_rows);

// Epochs of a short run on so many rows, and the step size that suits 25 epochs of them where `lr`
// is for some thousand rows: few rows need larger steps, and as many of them.
int screening_epochs(size_t train_rows, size_t batch);
double step_size_for(double lr, size_t train_rows, size_t batch);

// Whether a search tries the classifier that is solved for: not where that takes far longer than
// training one does.
bool is_worth_solving(size_t rows, size_t features, size_t labels, int epochs);

// Error where a search could not begin: no trials, or data that no loss can train on.
void check_search(const Dataset& data, const TrainConfig& base, const AutoOptions& options);

// The search alone (search.cc): what validation prefers, and every trial. Needs no folder; with a
// journal, trials that it knows are not trained again.
struct SearchResult {
  TrainConfig chosen;
  std::vector<SearchTrial> trials;
};
SearchResult search_settings(const Dataset& data, const TrainConfig& base,
                             const AutoOptions& options, const RunEvents& events = {},
                             SearchJournal* journal = nullptr);

// Searches, then trains what was chosen into the run folder. As run_training() otherwise: under
// kResume an interrupted search goes on after the trials that had ended.
RunRecord run_auto(const Dataset& data, const TrainConfig& base, const AutoOptions& options,
                   const RunEvents& events = {});

}  // namespace spml
