#include "search/auto.h"

#include "base/fail.h"
#include "base/folders.h"
#include "fit/prepare.h"
#include "formats/written_record.h"
#include "search/journal.h"
#include "search/trial_fields.h"
#include "settings/settings.h"

namespace spml {
namespace {

// What a search leaves as it is, as the configuration of the run that it led to.
TrainConfig with_choice(TrainConfig base, const TrainConfig& chosen) {
  for (const Setting& setting : all_settings()) {
    if (setting.searched) copy_setting(setting, chosen, base);
  }
  return base;
}

// Error unless the folder holds nothing, or what this search led to, if only a part of it.
void check_same_search(const RunFolder& folder, const Dataset& data, const TrainConfig& base,
                       const SearchRequest& request) {
  if (!path_exists(folder.config())) return;
  const RunSetup there = read_run_setup(folder.config());
  const TrainConfig& chosen = there.identity.config;
  if (!there.search && !path_exists(folder.search())) {
    fail_other_run(folder.path,
                   {"loss", fmt::format("\"{}\"", chosen.loss), fmt::format("\"{}\"", kAutoLoss)});
  }
  RunIdentity asked{with_choice(base, chosen), fingerprint(data), {}};
  asked.config.k = resolve_k(data, base);
  if (!asked.config.k) asked.config.k = chosen.k;  // which was estimated
  std::optional<IdentityDifference> difference = first_difference(there.identity, asked);
  if (!difference && there.search) difference = first_difference(*there.search, request);
  if (difference) fail_other_run(folder.path, *difference);
}

// What the run in the folder was begun with, where no trial is known and a search might choose
// something else: it had a time limit.
std::optional<TrainConfig> chosen_before(const RunFolder& folder, const Dataset& data,
                                         const TrainConfig& base, const AutoOptions& options,
                                         const SearchJournal& journal) {
  if (options.run.existing != Existing::kResume || !options.time_limit || !journal.is_empty() ||
      !path_exists(folder.config())) {
    return std::nullopt;
  }
  const TrainConfig there = read_run_setup(folder.config()).identity.config;
  TrainConfig chosen = with_choice(base, there);
  if (!resolve_k(data, base)) {
    chosen.k = there.k;
    chosen.k_is_estimated = true;
  }
  return chosen;
}

}  // namespace

RunRecord run_auto(const Dataset& data, const TrainConfig& base, const AutoOptions& options,
                   const RunEvents& events) {
  if (base.mode != Mode::kLinear) {
    fail_usage("--loss auto searches linear classifiers; give --loss NAME with --mode {}",
               to_string(base.mode));
  }
  RunOptions run = options.run;
  run.search = SearchRequest{options.trials, options.time_limit, options.refit, base.k};
  const RunFolder folder{run.out};
  Cluster* const cluster = run.cluster;
  const bool is_first = is_first_of(run.cluster);
  std::unique_ptr<FileLock> lock;
  bool finished = false;
  if (is_first) {
    lock = claim_folder(run.out, run.existing);  // an Error now, not after the search
    run.is_claimed = true;
  }
  if (is_first && run.existing == Existing::kResume) {
    check_same_search(folder, data, base, *run.search);
    finished = path_exists(folder.search());
  }
  if (cluster != nullptr) finished = said_by_first(*cluster, finished ? "yes" : "no") == "yes";
  if (finished && !is_first) return {};
  if (finished) {
    if (events.notice) {
      events.notice(fmt::format("{} is finished already: nothing to do", folder.path.string()));
    }
    remove_file(folder.search_journal());  // killed just before it was removed
    return read_run(folder.path);
  }
  check_search(data, base, options);  // an Error before anything is written or removed
  if (is_first && run.existing == Existing::kOverwrite) {
    clear_run(folder);  // now, so that --resume goes on with this search
    run.existing = Existing::kResume;
  }
  SearchJournal journal(folder, head_of(data, base, *run.search), cluster);
  SearchResult search;
  if (auto before = chosen_before(folder, data, base, options, journal)) {
    search.chosen = std::move(*before);
  } else {
    search = search_settings(data, base, options, events, &journal);
  }
  const TrainConfig& chosen = search.chosen;
  RunEvents quiet = events;
  quiet.step = nullptr;
  RunRecord record = run_training(data, chosen, run, quiet);
  if (!is_first) return record;
  std::string lines;
  for (const SearchTrial& trial : search.trials) {
    lines += written_record(trial, folder.search().string()) + "\n";
  }
  write_file(folder.search(), lines);
  remove_file(folder.search_journal());
  return record;
}

}  // namespace spml
