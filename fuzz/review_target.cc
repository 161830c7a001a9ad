// The files of a review. Bytes that begin as SQLite's files do are its database; others are lines
// TABLE VALUE VALUE ..., separated by tabs, that are put into a sound one, so that mutations reach
// what lies behind SQLite's own checks.
#include <algorithm>
#include <charconv>

#include "memory_file.h"
#include "review/export/export.h"
#include "review/http/guard.h"
#include "review/store/answer_log.h"
#include "review/store/schema.h"
#include "sections.h"
#include "targets.h"

namespace spml {
namespace {

using review::Database, review::Query, review::Store;

FuzzFolder& folder() {
  static FuzzFolder shared;
  return shared;
}

const std::vector<std::string> kTables = {"review",  "runs",    "suggestions",   "actions",
                                          "answers", "samples", "sample_entries"};

std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find('\t'), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

void bind_word(Query& query, std::string_view word) {
  int64_t whole = 0;
  double real = 0;
  const char* end = word.data() + word.size();
  if (word == "NULL") {
    query.bind(nullptr);
  } else if (const auto [last, bad] = std::from_chars(word.data(), end, whole);
             last == end && bad == std::errc()) {
    query.bind(whole);
  } else if (const auto [after, wrong] = std::from_chars(word.data(), end, real);
             after == end && wrong == std::errc()) {
    query.bind(real);
  } else {
    query.bind(word);
  }
}

void insert(Database& database, std::string_view line) {
  const std::string table(take_word(line));
  if (std::find(kTables.begin(), kTables.end(), table) == kTables.end()) return;
  std::vector<std::string_view> words;
  while (!line.empty() && words.size() < 16) words.push_back(take_word(line));
  if (words.empty()) return;
  std::string sql = "INSERT OR REPLACE INTO " + table + " VALUES (?";
  for (size_t i = 1; i < words.size(); ++i) sql += ", ?";
  Query query(database, sql + ")");
  for (const std::string_view word : words) bind_word(query, word);
  query.run();
}

void write_database(const Path& file, std::string_view lines) {
  Database database(file, Database::Access::kCreate);
  create_schema(database);
  database.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN");
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    accepts([&] { insert(database, lines.substr(0, end)); });
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  database.execute("COMMIT");
}

// Everything that can be asked of a store, and what changes it.
void use(Store& store) {
  accepts([&] { store.runs(); });
  accepts([&] { store.current_run(); });
  accepts([&] { store.counts(); });
  accepts([&] { store.answered(); });
  accepts([&] { store.last_answers(); });
  accepts([&] { store.sampled(); });
  accepts([&] {
    if (const auto sample = store.last_sample()) store.sample_entries(sample->id);
  });
  for (const char* format : {"csv", "jsonl"}) {
    accepts([&] { answers_as_text(store, format, [](size_t) { return std::string("a.jpg"); }); });
  }
  for (const auto sort :
       {review::Sort::kScore, review::Sort::kUncertainty, review::Sort::kRandom}) {
    accepts([&] {
      review::Listing listing;
      listing.sort = sort;
      for (const review::Listed& one : store.list(listing)) {
        store.answer(std::to_string(one.entry.row), "r", {{one.entry, review::State::kYes}});
      }
    });
  }
  accepts([&] { store.undo("undo", "r"); });
}

}  // namespace

bool fuzz_review_db(std::span<const std::byte> bytes) {
  folder().clear();
  const Path file = folder().path() / "review.db";
  if (as_text(bytes).starts_with("SQLite format 3")) {
    folder().put("review.db", as_text(bytes));
  } else {
    write_database(file, as_text(bytes));
  }
  accepts([&] { Store::open_read_only(file); });
  return accepts([&] { use(*Store::open(file)); });
}

bool fuzz_answer_log(std::span<const std::byte> bytes) {
  static FuzzFolder shared;
  static const auto kStore =
      Store::create(shared.path() / "review.db", {"a review", "/data", "f00d", "toy", 1, {"cat"}});
  shared.put("log.jsonl", as_text(bytes));
  return accepts([&] {
    review::AnswerLog(shared.path() / "log.jsonl", *kStore, [](size_t) { return "a.jpg"; });
  });
}

bool fuzz_session_json(std::span<const std::byte> bytes) {
  return review::port_in(as_text(bytes), {.device = 1, .inode = 2}) != 0;
}

}  // namespace spml
