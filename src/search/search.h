// The search for settings: many short runs, then whole ones of the best, judged by validation.
#pragma once

#include <optional>
#include <vector>

#include "run/run.h"
#include "search/trial.h"

namespace spml {

class SearchJournal;

// How many trials a search has unless told otherwise.
inline constexpr size_t kDefaultTrials = 56;

struct AutoOptions {
  RunOptions run;
  size_t trials = kDefaultTrials;    // at most; the result depends on it, not on time or threads
  std::optional<double> time_limit;  // seconds after which no trial is started
  bool refit = false;                // train the chosen settings once more on train and val
};

// Whether a search tries the classifier that is solved for: not where that takes far longer than
// training one does.
bool is_worth_solving(size_t rows, size_t features, size_t labels, int epochs);

// Error where a search could not begin: no trials, or data that no loss can train on.
void check_search(const Dataset& data, const TrainConfig& base, const AutoOptions& options);

// What validation prefers, and every trial. Needs no folder; with a
// journal, trials that it knows are not trained again.
struct SearchResult {
  TrainConfig chosen;
  std::vector<SearchTrial> trials;
};
SearchResult search_settings(const Dataset& data, const TrainConfig& base,
                             const AutoOptions& options, const RunEvents& events = {},
                             SearchJournal* journal = nullptr);

}  // namespace spml
