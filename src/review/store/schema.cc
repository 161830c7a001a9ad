#include "review/store/schema.h"

#include <vector>

#include "base/fail.h"

namespace spml::review {
namespace {

constexpr int64_t kApplicationId = 0x73706d6c;  // "spml"

// `state` of a suggestion and `answer` of an answer are numbers of enum State. A suggestion of a
// run that is not the current one is either being prepared or about to be removed. Indexes end with
// the score where a range of scores is needed in another order. Times are milliseconds since
// 1970.
constexpr const char* kTables = R"(
CREATE TABLE review (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  folder TEXT NOT NULL,
  state TEXT NOT NULL,
  answers INTEGER NOT NULL,
  time INTEGER NOT NULL,
  unknown INTEGER,
  expected REAL,
  val_map REAL,
  test_map REAL
) STRICT;
CREATE TABLE suggestions (
  run INTEGER NOT NULL REFERENCES runs(id),
  row INTEGER NOT NULL,
  label INTEGER NOT NULL,
  score REAL NOT NULL,
  doubt REAL NOT NULL,
  lot INTEGER NOT NULL,
  state INTEGER NOT NULL,
  PRIMARY KEY (run, row, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX suggestions_by_score ON suggestions (run, state, score);
CREATE INDEX suggestions_by_doubt ON suggestions (run, state, doubt, row, label, score);
CREATE INDEX suggestions_by_lot ON suggestions (run, state, lot, row, label, score);
CREATE INDEX suggestions_of_class_by_score ON suggestions (run, label, state, score);
CREATE INDEX suggestions_of_class_by_doubt ON suggestions (run, label, state, doubt, row, score);
CREATE INDEX suggestions_of_class_by_lot ON suggestions (run, label, state, lot, row, score);
CREATE INDEX suggestions_by_entry ON suggestions (row, label);
CREATE TABLE actions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  undoes INTEGER UNIQUE REFERENCES actions(id),
  reviewer TEXT NOT NULL,
  time INTEGER NOT NULL
) STRICT;
CREATE TABLE answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  action INTEGER NOT NULL REFERENCES actions(id),
  row INTEGER NOT NULL,
  label INTEGER NOT NULL,
  answer INTEGER NOT NULL CHECK (answer BETWEEN 0 AND 3),
  score REAL,
  run INTEGER NOT NULL REFERENCES runs(id),
  sample INTEGER REFERENCES samples(id),
  reviewer TEXT NOT NULL,
  time INTEGER NOT NULL
) STRICT;
CREATE INDEX answers_by_entry ON answers (row, label, id);
CREATE INDEX answers_by_action ON answers (action);
CREATE TABLE samples (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  size INTEGER NOT NULL,
  population INTEGER NOT NULL,
  last_answer INTEGER NOT NULL,
  reviewer TEXT NOT NULL,
  time INTEGER NOT NULL
) STRICT;
CREATE TABLE sample_entries (
  sample INTEGER NOT NULL REFERENCES samples(id),
  position INTEGER NOT NULL,
  row INTEGER NOT NULL,
  label INTEGER NOT NULL,
  PRIMARY KEY (sample, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX sample_by_entry ON sample_entries (row, label);
CREATE TRIGGER answers_stay BEFORE UPDATE ON answers
  BEGIN SELECT RAISE(ABORT, 'answers only grow'); END;
CREATE TRIGGER answers_are_kept BEFORE DELETE ON answers
  BEGIN SELECT RAISE(ABORT, 'answers only grow'); END;
CREATE TRIGGER actions_stay BEFORE UPDATE ON actions
  BEGIN SELECT RAISE(ABORT, 'actions only grow'); END;
CREATE TRIGGER actions_are_kept BEFORE DELETE ON actions
  BEGIN SELECT RAISE(ABORT, 'actions only grow'); END;
)";

int64_t pragma(Database& database, const char* sql) {
  Query query(database, sql);
  return query.next() ? query.integer(0) : 0;
}

// Names and definitions of everything in the file, statistics (sqlite_stat1) included: forged ones
// can make SQLite scan whole tables for each row.
std::vector<std::string> definitions(Database& database) {
  std::vector<std::string> found;
  Query query(database,
              "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema "
              "ORDER BY type, name");
  while (query.next()) {
    found.push_back(query.text(0) + " " + query.text(1) + " " + query.text(2) + " " +
                    query.text(3));
  }
  return found;
}

}  // namespace

void create_schema(Database& database) {
  Transaction transaction(database);
  database.execute(kTables);
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               kApplicationId, kSchemaVersion));
  transaction.commit();
}

void check_schema(Database& database) {
  const std::string file = database.path().string();
  if (pragma(database, "PRAGMA application_id") != kApplicationId) {
    fail("{}: expected a review, found a database of another program; choose another folder", file);
  }
  const int64_t version = pragma(database, "PRAGMA user_version");
  if (version > kSchemaVersion) {
    fail("{}: made by a newer spml (version {} of the file, this one knows {}); use that one", file,
         version, kSchemaVersion);
  }
  Database fresh = Database::in_memory();
  create_schema(fresh);
  if (version != kSchemaVersion || definitions(database) != definitions(fresh)) {
    fail("{}: its tables are not those of a review; restore it from a backup", file);
  }
  Query check(database, "PRAGMA quick_check(1)");
  if (!check.next() || check.text(0) != "ok") {
    fail("{}: the file is damaged ({}); restore it from a backup", file, check.text(0));
  }
}

void make_durable(Database& database) {
  {
    Query query(database, "PRAGMA journal_mode = WAL");
    query.run();
  }
  database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

}  // namespace spml::review
