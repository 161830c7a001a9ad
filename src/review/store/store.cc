#include "review/store/store.h"

#include "base/fail.h"
#include "base/folders.h"
#include "review/store/schema.h"
#include "review/store/store_values.h"

namespace spml::review {
namespace {

constexpr std::string_view kRunStates[] = {"given", "training", "done", "stopped"};

RunState run_state(const std::string& text) {
  for (size_t i = 0; i < std::size(kRunStates); ++i) {
    if (kRunStates[i] == text) return static_cast<RunState>(i);
  }
  fail("expected the state of a run, found '{}'", text);
}

}  // namespace

std::string_view to_string(RunState state) { return kRunStates[static_cast<int>(state)]; }

Store::Store(const Path& file, Database::Access access) : database_(file, access) {}

std::unique_ptr<Store> Store::create(const Path& file, const Subject& subject) {
  if (path_exists(file)) fail("{}: exists already", file.string());
  // A kill here must not leave half a review under its final name.
  const Path draft = file.string() + ".new";
  for (const char* end : {"", "-wal", "-shm", "-journal"}) {
    remove_file(draft.string() + end);
  }
  {
    Database database(draft, Database::Access::kCreate);
    create_schema(database);
    make_durable(database);
    Transaction transaction(database);
    const auto put = [&](const std::string& key, const std::string& value) {
      Query(database, "INSERT INTO review (key, value) VALUES (?, ?)", key, value).run();
    };
    put("id", subject.id);
    put("data", subject.data);
    put("fingerprint", subject.fingerprint);
    put("name", subject.name);
    put("rows", std::to_string(subject.rows));
    put("labels", std::to_string(subject.classes.size()));
    for (size_t j = 0; j < subject.classes.size(); ++j) {
      put(fmt::format("class {}", j), subject.classes[j]);
    }
    transaction.commit();
  }
  rename_path(draft, file);
  return open(file);
}

std::unique_ptr<Store> Store::open(const Path& file) {
  std::unique_ptr<Store> store(new Store(file, Database::Access::kReadWrite));
  check_schema(store->database_);
  make_durable(store->database_);
  store->read_subject();
  store->load_counts();
  store->last_sample();  // an invalid sample is an Error now rather than at every request
  store->database_.remember_files();
  return store;
}

std::unique_ptr<Store> Store::open_read_only(const Path& file) {
  std::unique_ptr<Store> store(new Store(file, Database::Access::kReadOnly));
  check_schema(store->database_);
  store->read_subject();
  store->load_counts();
  return store;
}

void Store::read_subject() {
  const auto get = [&](const std::string& key) {
    Query query(database_, "SELECT value FROM review WHERE key = ?", key);
    if (!query.next())
      fail("{}: expected a value of '{}', found none", database_.path().string(), key);
    return query.text(0);
  };
  const auto number = [&](const std::string& key) {
    const std::string text = get(key);
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != text.npos) {
      fail("{}: expected a number as its '{}', found '{}'", database_.path().string(), key, text);
    }
    return std::stoul(text);
  };
  subject_.id = get("id");
  subject_.data = get("data");
  subject_.fingerprint = get("fingerprint");
  subject_.name = get("name");
  subject_.rows = number("rows");
  const size_t labels = number("labels");
  for (size_t j = 0; j < labels; ++j) subject_.classes.push_back(get(fmt::format("class {}", j)));
}

void Store::load_counts() {
  counts_.assign(subject_.classes.size(), {});
  Query query(database_,
              "SELECT label, state, count(*) FROM suggestions WHERE run = ? GROUP BY label, state",
              current_run_id());
  while (query.next()) {
    const int32_t label = checked_index(query.integer(0));
    check_entry({0, label});
    counts_[static_cast<size_t>(label)][static_cast<size_t>(checked_state(query.integer(1)))] =
        static_cast<size_t>(query.integer(2));
  }
}

void Store::check_entry(Entry entry) const {
  if (entry.row < 0 || static_cast<size_t>(entry.row) >= subject_.rows || entry.label < 0 ||
      static_cast<size_t>(entry.label) >= subject_.classes.size()) {
    fail("expected a row below {} and a label below {}, found {}, {}", subject_.rows,
         subject_.classes.size(), entry.row, entry.label);
  }
}

void Store::on_answer(Listener listener, int64_t after) {
  const std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
  heard_ = after;
}

bool Store::catch_up() {
  const std::lock_guard lock(mutex_);
  return tell();
}

bool Store::is_out_of_space() {
  const std::lock_guard lock(mutex_);
  return database_.is_out_of_space();
}

int64_t Store::current_run_id() {
  Query query(database_, "SELECT value FROM review WHERE key = 'run'");
  return query.next() ? query.integer(0) : 0;
}

int64_t Store::add_run(const ReviewRun& run) {
  const std::lock_guard lock(mutex_);
  Query(database_, "INSERT INTO runs (folder, state, answers, time) VALUES (?, ?, ?, ?)",
        run.folder, to_string(run.state), run.answers, now_ms())
      .run();
  return database_.last_insert_id();
}

void Store::update_run(const ReviewRun& run) {
  const std::lock_guard lock(mutex_);
  write_run(run);
}

void Store::write_run(const ReviewRun& run) {
  Query query(database_,
              "UPDATE runs SET state = ?, unknown = CAST(? AS INTEGER), expected = ?, val_map = ?, "
              "test_map = ? WHERE id = ?",
              to_string(run.state));
  for (const auto& value : {run.unknown, run.expected, run.val_map, run.test_map}) {
    value ? query.bind(*value) : query.bind(nullptr);
  }
  query.bind(run.id);
  query.run();
}

std::vector<ReviewRun> Store::runs() {
  const std::lock_guard lock(mutex_);
  std::vector<ReviewRun> runs;
  Query query(database_,
              "SELECT id, folder, state, answers, time, unknown, expected, val_map, test_map FROM "
              "runs ORDER BY id");
  const auto number = [&](int column) {
    return query.is_null(column) ? std::optional<double>() : query.real(column);
  };
  while (query.next()) {
    ReviewRun run;
    run.id = query.integer(0);
    run.folder = query.text(1);
    run.state = run_state(query.text(2));
    run.answers = query.integer(3);
    run.time = query.integer(4);
    run.unknown = number(5);
    run.expected = number(6);
    run.val_map = number(7);
    run.test_map = number(8);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::optional<ReviewRun> Store::current_run() {
  int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = current_run_id();
  }
  for (ReviewRun& run : runs()) {
    if (run.id == id) return std::move(run);
  }
  return std::nullopt;
}

std::optional<Listed> Store::find(Entry entry) {
  const std::lock_guard lock(mutex_);
  Query query(database_,
              "SELECT score, state FROM suggestions WHERE run = ? AND row = ? AND label = ?",
              current_run_id(), entry.row, entry.label);
  if (!query.next()) return std::nullopt;
  return Listed{entry, query.real(0), checked_state(query.integer(1)), query.real(0)};
}

std::vector<Counts> Store::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<NewAnswer> Store::answered() {
  const std::lock_guard lock(mutex_);
  std::vector<NewAnswer> entries;
  Query query(database_,
              "SELECT row, label, answer FROM answers a WHERE id = (SELECT max(id) FROM answers b "
              "WHERE b.row = a.row AND b.label = a.label) AND answer != 0 ORDER BY row, label");
  while (query.next()) {
    const Entry entry = entry_of(query, 0);
    check_entry(entry);
    entries.push_back({entry, checked_state(query.integer(2))});
  }
  return entries;
}

std::vector<Entry> Store::sampled() {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> entries;
  Query query(database_, "SELECT DISTINCT row, label FROM sample_entries ORDER BY row, label");
  while (query.next()) {
    entries.push_back(entry_of(query, 0));
    check_entry(entries.back());
  }
  return entries;
}

int64_t Store::answer_count() {
  size_t sum = 0;
  for (const Counts& counts : counts()) sum += counts[1] + counts[2] + counts[3];
  return static_cast<int64_t>(sum);
}

}  // namespace spml::review
