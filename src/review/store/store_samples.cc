#include <numeric>

#include "base/fail.h"
#include "review/store/store.h"
#include "review/store/store_values.h"

namespace spml::review {

int64_t Store::add_sample(const std::vector<Suggestion>& entries, uint64_t population,
                          const std::string& reviewer) {
  const std::lock_guard lock(mutex_);
  for (const Suggestion& entry : entries) check_entry(entry.entry);
  Transaction transaction(database_);
  Query(database_,
        "INSERT INTO samples (size, population, last_answer, reviewer, time) VALUES (?, ?, "
        "coalesce((SELECT max(id) FROM answers), 0), ?, ?)",
        static_cast<int64_t>(entries.size()), population, reviewer, now_ms())
      .run();
  const int64_t sample = database_.last_insert_id();
  const int64_t run = current_run_id();
  for (size_t i = 0; i < entries.size(); ++i) {
    insert_suggestion(run, entries[i]);
    Query(database_,
          "INSERT INTO sample_entries (sample, position, row, label) VALUES (?, ?, ?, ?)", sample,
          static_cast<int64_t>(i), entries[i].entry.row, entries[i].entry.label)
        .run();
  }
  transaction.commit();
  load_counts();
  return sample;
}

std::optional<SampleRecord> Store::last_sample() {
  const std::lock_guard lock(mutex_);
  SampleRecord sample;
  {
    Query query(database_,
                "SELECT id, size, population, last_answer, time FROM samples ORDER BY id DESC "
                "LIMIT 1");
    if (!query.next()) return std::nullopt;
    sample.id = query.integer(0);
    sample.size = checked_count(query.integer(1));
    sample.population = checked_count(query.integer(2));
    if (sample.size > sample.population) {
      fail("{}: expected a sample of at most {} entries, found one of {}; restore it from a backup",
           database_.path().string(), sample.population, sample.size);
    }
    sample.last_answer = query.integer(3);
    sample.time = query.integer(4);
  }
  Query states(database_,
               "SELECT state, count(*) FROM sample_entries e JOIN suggestions s ON s.run = ? AND "
               "s.row = e.row AND s.label = e.label WHERE sample = ? GROUP BY state",
               current_run_id(), sample.id);
  while (states.next()) {
    sample.counts[static_cast<size_t>(checked_state(states.integer(0)))] =
        static_cast<size_t>(states.integer(1));
  }
  const size_t entries = std::accumulate(sample.counts.begin(), sample.counts.end(), size_t{0});
  if (entries > sample.size) {
    fail("{}: expected the {} entries of a sample, found {}; restore it from a backup",
         database_.path().string(), sample.size, entries);
  }
  Query found(database_,
              "SELECT count(*) FROM (SELECT row, label, max(id) AS last FROM answers WHERE "
              "id > ?1 GROUP BY row, label) n JOIN answers a ON a.id = n.last WHERE "
              "a.answer = 1 AND coalesce((SELECT b.answer FROM answers b WHERE b.row = n.row AND "
              "b.label = n.label AND b.id <= ?1 ORDER BY b.id DESC LIMIT 1), 0) = 0",
              sample.last_answer);
  if (found.next()) sample.found_since = static_cast<size_t>(found.integer(0));
  return sample;
}

std::vector<Listed> Store::sample_entries(int64_t sample) {
  const std::lock_guard lock(mutex_);
  std::vector<Listed> entries;
  Query query(database_,
              "SELECT e.row, e.label, score, state, position FROM sample_entries e JOIN "
              "suggestions s ON s.run = ? AND s.row = e.row AND s.label = e.label WHERE sample = ? "
              "ORDER BY position",
              current_run_id(), sample);
  while (query.next()) {
    const Entry entry = entry_of(query, 0);
    check_entry(entry);
    entries.push_back({entry, query.real(2), checked_state(query.integer(3)), query.real(4)});
  }
  return entries;
}

}  // namespace spml::review
