#include <set>

#include "base/fail.h"
#include "review/store/store.h"
#include "review/store/store_values.h"

namespace spml::review {
namespace {

// An action answers each entry at most once.
void check_first(Entry entry, std::set<Entry>& seen) {
  if (!seen.insert(entry).second) {
    fail("row {}, label {}: answered twice in one action", entry.row, entry.label);
  }
}

void check_each_once(const std::vector<NewAnswer>& answers) {
  std::set<Entry> seen;
  for (const NewAnswer& answer : answers) check_first(answer.entry, seen);
}

}  // namespace

bool Store::done_before(const std::string& key, ActionResult& result) {
  {
    Query query(database_, "SELECT id FROM actions WHERE key = ?", key);
    if (!query.next()) return false;
    result.action = query.integer(0);
  }
  result.repeated = true;
  Query query(database_, "SELECT row, label, answer FROM answers WHERE action = ? ORDER BY id",
              result.action);
  while (query.next()) {
    result.states.push_back({entry_of(query, 0), checked_state(query.integer(2))});
  }
  return true;
}

int64_t Store::add_action(const std::string& key, const std::string& reviewer, int64_t undoes) {
  Query query(database_, "INSERT INTO actions (key, reviewer, time, undoes) VALUES (?, ?, ?, ?)",
              key, reviewer, now_ms());
  undoes > 0 ? query.bind(undoes) : query.bind(nullptr);
  query.run();
  return database_.last_insert_id();
}

void Store::write_answer(const AnswerRecord& answer) {
  Query insert(database_,
               "INSERT INTO answers (action, row, label, answer, reviewer, time, run, score, "
               "sample) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
               answer.action, answer.entry.row, answer.entry.label,
               static_cast<int64_t>(answer.answer), answer.reviewer, now_ms(), answer.run);
  answer.score ? insert.bind(*answer.score) : insert.bind(nullptr);
  answer.sample ? insert.bind(*answer.sample) : insert.bind(nullptr);
  insert.run();
  Query(database_, "UPDATE suggestions SET state = ? WHERE row = ? AND label = ?",
        static_cast<int64_t>(answer.answer), answer.entry.row, answer.entry.label)
      .run();
}

// Those of the entries that cannot be answered; all of them if there is no such sample.
std::vector<Entry> Store::no_suggestions(const std::vector<NewAnswer>& answers,
                                         std::optional<int64_t> sample) {
  bool drawn = true;
  if (sample) drawn = Query(database_, "SELECT 1 FROM samples WHERE id = ?", *sample).next();
  std::vector<Entry> found;
  for (const auto& [entry, answer] : answers) {
    Query query(database_, "SELECT 1 FROM suggestions WHERE run = ? AND row = ? AND label = ?",
                current_run_id(), entry.row, entry.label);
    if (!drawn || !query.next()) found.push_back(entry);
  }
  return found;
}

ActionResult Store::answer(const std::string& key, const std::string& reviewer,
                           const std::vector<NewAnswer>& answers, std::optional<int64_t> sample) {
  const std::lock_guard lock(mutex_);
  ActionResult result;
  if (done_before(key, result)) {
    database_.check_still_there();
    return result;
  }
  check_each_once(answers);
  const int64_t run = current_run_id();
  std::vector<State> before;
  Transaction transaction(database_);
  result.refused = no_suggestions(answers, sample);
  if (!result.refused.empty()) return result;
  result.action = add_action(key, reviewer, 0);
  for (const NewAnswer& answer : answers) {
    check_entry(answer.entry);
    AnswerRecord record;
    record.action = result.action;
    record.entry = answer.entry;
    record.answer = answer.answer;
    record.run = run;
    record.sample = sample;
    record.reviewer = reviewer;
    {
      Query query(database_,
                  "SELECT score, state FROM suggestions WHERE run = ? AND row = ? AND label = ?",
                  run, answer.entry.row, answer.entry.label);
      query.next();
      record.score = query.real(0);
      before.push_back(checked_state(query.integer(1)));
    }
    write_answer(record);
  }
  transaction.commit();
  for (size_t i = 0; i < answers.size(); ++i) {
    Counts& counts = counts_[static_cast<size_t>(answers[i].entry.label)];
    --counts[static_cast<size_t>(before[i])];
    ++counts[static_cast<size_t>(answers[i].answer)];
  }
  result.states = answers;
  database_.check_still_there();
  tell();
  return result;
}

std::optional<ActionResult> Store::undo(const std::string& key, const std::string& reviewer) {
  const std::lock_guard lock(mutex_);
  ActionResult result;
  if (done_before(key, result)) {
    database_.check_still_there();
    return result;
  }
  int64_t last = 0;
  {
    Query query(database_,
                "SELECT max(id) FROM actions a WHERE undoes IS NULL AND NOT EXISTS "
                "(SELECT 1 FROM actions b WHERE b.undoes = a.id)");
    if (!query.next() || query.is_null(0)) return std::nullopt;
    last = query.integer(0);
  }
  // The state of every entry of that action before it. All later actions are already undone.
  std::vector<AnswerRecord> records;
  std::vector<State> taken_back;
  {
    Query query(database_,
                "SELECT row, label, answer, run, coalesce((SELECT b.answer FROM answers b WHERE "
                "b.row = a.row AND b.label = a.label AND b.id < a.id ORDER BY b.id DESC LIMIT 1), "
                "0) FROM answers a WHERE action = ? ORDER BY id DESC",
                last);
    std::set<Entry> seen;
    while (query.next()) {
      AnswerRecord record;
      record.entry = entry_of(query, 0);
      check_entry(record.entry);
      check_first(record.entry, seen);
      record.run = query.integer(3);
      record.answer = checked_state(query.integer(4));
      record.reviewer = reviewer;
      taken_back.push_back(checked_state(query.integer(2)));
      records.push_back(std::move(record));
    }
  }
  Transaction transaction(database_);
  result.action = add_action(key, reviewer, last);
  for (AnswerRecord& record : records) {
    record.action = result.action;
    write_answer(record);
  }
  transaction.commit();
  for (size_t i = 0; i < records.size(); ++i) {
    Counts& counts = counts_[static_cast<size_t>(records[i].entry.label)];
    --counts[static_cast<size_t>(taken_back[i])];
    ++counts[static_cast<size_t>(records[i].answer)];
    result.states.push_back({records[i].entry, records[i].answer});
  }
  database_.check_still_there();
  tell();
  return result;
}

void Store::for_answers(int64_t id, const std::function<void(const AnswerRecord&)>& use) {
  const std::lock_guard lock(mutex_);
  read_answers(
      "SELECT a.id, action, row, label, answer, undoes IS NOT NULL, score, run, sample, "
      "a.reviewer, a.time FROM answers a JOIN actions c ON c.id = action WHERE a.id > ? "
      "ORDER BY a.id",
      id, use);
}

std::vector<AnswerRecord> Store::last_answers() {
  const std::lock_guard lock(mutex_);
  std::vector<AnswerRecord> records;
  read_answers(
      "SELECT a.id, action, row, label, answer, undoes IS NOT NULL, score, run, sample, "
      "a.reviewer, a.time FROM answers a JOIN actions c ON c.id = action WHERE a.id > ? AND "
      "answer != 0 AND a.id = (SELECT max(b.id) FROM answers b WHERE b.row = a.row AND "
      "b.label = a.label) ORDER BY a.id",
      0, [&](const AnswerRecord& record) { records.push_back(record); });
  return records;
}

// After a failure the listener gets the answer next time; the answers themselves are saved.
bool Store::tell() try {
  if (!listener_) return true;
  bool heard = true;
  read_answers(
      "SELECT a.id, action, row, label, answer, undoes IS NOT NULL, score, run, sample, "
      "a.reviewer, a.time FROM answers a JOIN actions c ON c.id = action WHERE a.id > ? "
      "ORDER BY a.id",
      heard_, [&](const AnswerRecord& answer) {
        heard = heard && listener_(answer);
        if (heard) heard_ = answer.id;
      });
  return heard;
} catch (const Error&) {
  return false;
}

void Store::read_answers(std::string_view sql, int64_t value,
                         const std::function<void(const AnswerRecord&)>& use) {
  Query query(database_, sql, value);
  while (query.next()) {
    AnswerRecord record;
    record.id = query.integer(0);
    record.action = query.integer(1);
    record.entry = entry_of(query, 2);
    check_entry(record.entry);
    record.answer = checked_state(query.integer(4));
    record.undo = query.integer(5) != 0;
    if (!query.is_null(6)) record.score = query.real(6);
    record.run = query.integer(7);
    if (!query.is_null(8)) record.sample = query.integer(8);
    record.reviewer = query.text(9);
    record.time = checked_time(query.integer(10));
    use(record);
  }
}

}  // namespace spml::review
