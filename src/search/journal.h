// search.part.jsonl: the trials of a search that have ended, so that a search that is interrupted
// or killed goes on after them.
#pragma once

#include <fstream>
#include <istream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cluster/cluster.h"
#include "run/run_folder.h"
#include "run/run_record.h"
#include "search/trial.h"

namespace spml {

// The first line: what the search was asked. Trials of another are none of this one.
struct JournalHead {
  RunIdentity identity;  // before the choice
  SearchRequest request;
};

JournalHead head_of(const Dataset& data, const TrainConfig& base, const SearchRequest& request);

// The other lines: a trial that has ended, and how long the search had taken by then.
struct JournalTrial {
  SearchTrial trial;
  double seconds = 0;
};

// What a journal says; `where` names it in an Error.
struct JournalText {
  std::optional<JournalHead> head;       // nothing where the file is empty
  std::map<size_t, SearchTrial> trials;  // by number
  double seconds = 0;                    // that the search had taken
};
JournalText parse_journal(std::istream& in, const std::string& where);

class SearchJournal {
 public:
  // Reads what is there: a last line that was cut short does not count, other damage and another
  // search are Errors. Every rank knows what it said at the start; rank 0 adds to it.
  SearchJournal(const RunFolder& run, const JournalHead& head, Cluster* cluster);

  // The trial, if it has ended before. Error unless it is the one that is asked for.
  std::optional<SearchTrial> find(const SearchTrial& asked) const;
  bool is_empty() const { return known_.trials.empty(); }
  double seconds() const { return known_.seconds; }
  // From several threads.
  void add(const SearchTrial& trial, double seconds);

 private:
  RunFolder run_;
  bool writes_;
  JournalText known_;
  std::mutex mutex_;
  std::set<size_t> written_;
  std::ofstream out_;
};

}  // namespace spml
