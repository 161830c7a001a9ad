#include "search/journal.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/fail.h"
#include "base/folders.h"
#include "formats/written_record.h"
#include "search/trial_fields.h"

namespace spml {

template <class Fields>
void json_fields(Fields& field, JournalHead& head) {
  field("config", head.identity);
  field("search", head.request);
}

template <class Fields>
void json_fields(Fields& field, JournalTrial& line) {
  json_fields(field, line.trial);
  field("seconds", line.seconds);
}

namespace {

// Without a last line that was cut short: it has no end.
std::string whole_lines(std::string text) {
  text.resize(text.rfind('\n') + 1);  // 0 where there is none
  return text;
}

// Only the end of the file is written as lines come, so that damage elsewhere is not ours.
[[noreturn]] void fail_damaged(std::string_view error) {
  fail("{}; the search cannot go on from it: start again with --overwrite", error);
}

template <class Record>
Record parse_line(const std::string& line, const std::string& where) {
  try {
    return parse_record<Record>(line, where);
  } catch (const Error& error) {
    fail_damaged(error.what());
  }
}

void read_trial(const std::string& line, const std::string& where, JournalText& journal) {
  auto [trial, seconds] = parse_line<JournalTrial>(line, where);
  if (trial.score.has_value() == !trial.error.empty() || trial.chosen || !(seconds >= 0)) {
    fail_damaged(where + ": expected a trial that has ended, with a score or an error");
  }
  const size_t number = trial.trial;
  journal.seconds = std::max(journal.seconds, seconds);
  if (!journal.trials.emplace(number, std::move(trial)).second) {
    fail_damaged(fmt::format("{}: expected each trial once, found {} again", where, number));
  }
}

// What was to be done in a trial, without what came of it.
std::string plan_of(SearchTrial trial) {
  trial.best_epoch = 0;
  trial.val_map = trial.score = std::nullopt;
  trial.error.clear();
  return record_text(trial);
}

}  // namespace

JournalHead head_of(const Dataset& data, const TrainConfig& base, const SearchRequest& request) {
  JournalHead head{{base, fingerprint(data), {}}, request};
  head.identity.config.loss = "role";  // any that has all the settings of the others
  return head;
}

JournalText parse_journal(std::istream& in, const std::string& where) {
  JournalText journal;
  std::string line;
  if (!std::getline(in, line)) return journal;
  journal.head = parse_line<JournalHead>(line, where + ":1");
  for (size_t number = 2; std::getline(in, line); ++number) {
    read_trial(line, fmt::format("{}:{}", where, number), journal);
  }
  return journal;
}

SearchJournal::SearchJournal(const RunFolder& run, const JournalHead& head, Cluster* cluster)
    : run_(run), writes_(is_first_of(cluster)) {
  const Path file = run_.search_journal();
  std::string text;
  if (writes_ && path_exists(file)) text = whole_lines(read_file(file, kMaxRecordBytes));
  if (cluster != nullptr) text = said_by_first(*cluster, text);
  std::istringstream in(text);
  known_ = parse_journal(in, file.string());
  if (known_.head) {
    auto difference = first_difference(known_.head->identity, head.identity);
    if (!difference) difference = first_difference(known_.head->request, head.request);
    if (difference) fail_other_run(run_.path, *difference);
  }
  if (!writes_) return;
  for (const auto& [number, trial] : known_.trials) written_.insert(number);
  write_file(file, text.empty() ? record_text(head) + "\n" : text);  // without what was cut short
  out_.open(file, std::ios::app);
}

std::optional<SearchTrial> SearchJournal::find(const SearchTrial& asked) const {
  const auto found = known_.trials.find(asked.trial);
  if (found == known_.trials.end()) return std::nullopt;
  if (plan_of(found->second) != plan_of(asked)) {
    fail("{}: expected trial {} to be {}, found {}; start again with --overwrite",
         run_.search_journal().string(), asked.trial, plan_of(asked), plan_of(found->second));
  }
  return found->second;
}

void SearchJournal::add(const SearchTrial& trial, double seconds) {
  if (!writes_ || (trial.error.empty() && !trial.score)) return;
  const std::lock_guard guard(mutex_);
  if (!written_.insert(trial.trial).second) return;
  out_ << written_record(JournalTrial{trial, seconds}, run_.search_journal().string()) << std::endl;
  if (!out_) fail("{}: cannot write; is the disk full?", run_.search_journal().string());
}

}  // namespace spml
