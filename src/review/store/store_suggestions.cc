#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/fail.h"
#include "review/store/store.h"
#include "review/store/store_values.h"

namespace spml::review {
namespace {

// Rows per transaction: an answer waits for at most one transaction, some 30 ms.
constexpr size_t kStep = 2000;

// Pause between two transactions: a thread that takes a mutex again at once starves the others.
void let_others() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// The place of an entry in random order: the same for all runs of a review, another for each.
int64_t lot_of(Entry entry, const std::string& review) {
  uint64_t x = std::hash<std::string>()(review) ^
               (static_cast<uint64_t>(static_cast<uint32_t>(entry.row)) << 32 |
                static_cast<uint32_t>(entry.label));
  for (const uint64_t factor :
       {0x9e3779b97f4a7c15ULL, 0xbf58476d1ce4e5b9ULL, 0x94d049bb133111ebULL}) {
    x = (x ^ (x >> 30)) * factor;
  }
  return static_cast<int64_t>((x ^ (x >> 31)) >> 11);  // 53 bits: also exact as a JSON number
}

struct Order {
  const char* column;
  const char* direction;
  const char* beyond;  // compares with the last known place
};

Order order_of(Sort sort) {
  switch (sort) {
    case Sort::kScore:
      return {"score", "DESC", "<"};
    case Sort::kUncertainty:
      return {"doubt", "ASC", ">"};
    case Sort::kRandom:
      break;
  }
  return {"lot", "ASC", ">"};
}

}  // namespace

void Store::insert_suggestion(int64_t run, const Suggestion& suggestion) {
  const Entry entry = suggestion.entry;
  const double score = suggestion.score;
  Query(database_,
        "INSERT OR IGNORE INTO suggestions (run, row, label, score, doubt, lot, state) "
        "VALUES (?, ?, ?, ?, ?, ?, coalesce((SELECT answer FROM answers WHERE row = ?2 AND "
        "label = ?3 ORDER BY id DESC LIMIT 1), 0))",
        run, entry.row, entry.label, score, std::abs(score - 0.5), lot_of(entry, subject_.id))
      .run();
}

void Store::replace_suggestions(const ReviewRun& run, const std::vector<Suggestion>& suggestions,
                                const std::function<void()>& switched,
                                const std::function<bool()>& stop_requested) {
  const auto stops = [&] { return stop_requested && stop_requested(); };
  for (const Suggestion& suggestion : suggestions) check_entry(suggestion.entry);
  for (size_t begin = 0; begin < suggestions.size(); begin += kStep) {
    let_others();
    if (stops()) throw Error("stopped on request", Error::Kind::kInterrupted);
    const std::lock_guard lock(mutex_);
    Transaction transaction(database_);
    for (size_t i = begin; i < std::min(begin + kStep, suggestions.size()); ++i) {
      insert_suggestion(run.id, suggestions[i]);
    }
    transaction.commit();
  }
  {
    const std::lock_guard lock(mutex_);
    Transaction transaction(database_);
    // Answers given while the new list was being written were marked in it too; entries that are
    // not in it stay as they were.
    Query(database_,
          "INSERT OR IGNORE INTO suggestions (run, row, label, score, doubt, lot, state) "
          "SELECT ?1, row, label, score, doubt, lot, state FROM suggestions s WHERE run = ?2 AND "
          "(state != 0 OR EXISTS (SELECT 1 FROM sample_entries e WHERE e.row = s.row AND "
          "e.label = s.label))",
          run.id, current_run_id())
        .run();
    write_run(run);
    Query(database_, "INSERT OR REPLACE INTO review (key, value) VALUES ('run', ?)",
          std::to_string(run.id))
        .run();
    transaction.commit();
    load_counts();
  }
  if (switched) switched();
  for (bool more = true; more && !stops();) {
    let_others();
    const std::lock_guard lock(mutex_);
    Query(database_,
          "DELETE FROM suggestions WHERE (run, row, label) IN (SELECT run, row, label FROM "
          "suggestions WHERE run != ? LIMIT ?)",
          run.id, static_cast<int64_t>(kStep))
        .run();
    more = database_.changes() > 0;
  }
}

bool Store::rescore(int64_t run, const std::vector<Suggestion>& suggestions) {
  for (size_t begin = 0; begin < suggestions.size(); begin += kStep) {
    let_others();
    const std::lock_guard lock(mutex_);
    if (current_run_id() != run) return false;
    Transaction transaction(database_);
    for (size_t i = begin; i < std::min(begin + kStep, suggestions.size()); ++i) {
      const auto& [entry, score] = suggestions[i];
      check_entry(entry);
      Query(database_,
            "UPDATE suggestions SET score = ?1, doubt = ?2 WHERE run = ?3 AND row = ?4 AND "
            "label = ?5 AND state = 0 AND score != ?1",
            static_cast<double>(score), std::abs(static_cast<double>(score) - 0.5), run, entry.row,
            entry.label)
          .run();
    }
    transaction.commit();
  }
  return true;
}

void Store::add_suggestions(const std::vector<Suggestion>& suggestions) {
  const std::lock_guard lock(mutex_);
  for (const Suggestion& suggestion : suggestions) check_entry(suggestion.entry);
  Transaction transaction(database_);
  for (const Suggestion& suggestion : suggestions) insert_suggestion(current_run_id(), suggestion);
  transaction.commit();
  load_counts();
}

void Store::list_state(const Listing& listing, State state, std::vector<Listed>& out) {
  const Order order = order_of(listing.sort);
  // The plus keeps SQLite from looking scores up by their own index and sorting what it finds: the
  // index of the order asked for has the scores, too.
  std::string sql = fmt::format(
      "SELECT row, label, score, {} FROM suggestions WHERE run = ? AND state = ? AND "
      "{}score BETWEEN ? AND ?",
      order.column, listing.sort == Sort::kScore ? "" : "+");
  if (listing.label) sql += " AND label = ?";
  if (listing.after)
    sql += fmt::format(" AND ({}, row, label) {} (?, ?, ?)", order.column, order.beyond);
  sql +=
      fmt::format(" ORDER BY {0} {1}, row {1}, label {1} LIMIT ?", order.column, order.direction);

  Query query(database_, sql, current_run_id(), static_cast<int64_t>(state), listing.min_score,
              listing.max_score);
  if (listing.label) query.bind(*listing.label);
  if (listing.after) {
    if (listing.sort == Sort::kRandom) {
      query.bind(static_cast<int64_t>(listing.after->key));
    } else {
      query.bind(listing.after->key);
    }
    query.bind(listing.after->entry.row);
    query.bind(listing.after->entry.label);
  }
  query.bind(static_cast<int64_t>(listing.limit));
  while (query.next()) {
    const Entry entry = entry_of(query, 0);
    check_entry(entry);
    out.push_back({entry, query.real(2), state, query.real(3)});
  }
}

std::vector<Listed> Store::list(const Listing& listing) {
  const std::lock_guard lock(mutex_);
  std::vector<Listed> found;
  if (listing.state) {
    list_state(listing, *listing.state, found);
    return found;
  }
  // The first of every state, by the same indexes; merged, they hold the first of all.
  for (int state = 0; state < kStates; ++state) {
    list_state(listing, static_cast<State>(state), found);
  }
  const bool descending = listing.sort == Sort::kScore;
  std::sort(found.begin(), found.end(), [descending](const Listed& a, const Listed& b) {
    const auto left = std::tie(a.key, a.entry), right = std::tie(b.key, b.entry);
    return descending ? left > right : left < right;
  });
  found.resize(std::min(found.size(), listing.limit));
  return found;
}

}  // namespace spml::review
