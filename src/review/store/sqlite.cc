#include "review/store/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.h"
#include "base/folders.h"

namespace spml::review {
namespace {

constexpr int kBusyMilliseconds = 1000;  // another program may hold the file for a moment

int flags_of(Database::Access access) {
  switch (access) {
    case Database::Access::kReadOnly:
      return SQLITE_OPEN_READONLY;
    case Database::Access::kReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Database::Access::kCreate:
      break;
  }
  return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

// SQLite would block on a pipe, and write through symbolic and hard links.
void check_file(const Path& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return;  // if one is needed, SQLite says so
  if (S_ISLNK(info.st_mode)) {
    fail("{}: expected a file, found a symbolic link; use the folder it leads to", path.string());
  }
  if (!S_ISREG(info.st_mode)) fail("{}: expected a regular file", path.string());
  if (info.st_nlink > 1) {
    fail("{}: expected a file of one name, found one of {} (hard links); use a copy of the folder",
         path.string(), info.st_nlink);
  }
}

// A rollback journal is worse: SQLite restores its contents and then deletes the file it names. Our
// databases use a write-ahead log instead, which names no file.
void check_files(const Path& path) {
  for (const char* end : {"", "-wal", "-shm"}) check_file(path.string() + end);
  const Path journal = path.string() + "-journal";
  if (is_link(journal) || path_exists(journal)) {
    fail("{}: expected no such file beside a review; remove it if you know where it is from",
         journal.string());
  }
}

// SQLite gives its other files the same mode: answers are private to the user.
void make_private(const Path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) fail("{}: cannot make it: {}", path.string(), std::strerror(errno));
  ::close(fd);
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }

void Database::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const Path& path, Access access) : path_(path) {
  if (access != Access::kCreate) check_files(path);
  if (access == Access::kCreate && path != ":memory:") make_private(path);
  sqlite3* connection = nullptr;
  // The owner of this object makes sure that one thread uses it at a time.
  const int code =
      sqlite3_open_v2(path.c_str(), &connection, flags_of(access) | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) fail_with_reason(code);
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kBusyMilliseconds);
  // The file may come from a stranger: its schema must not run functions or be writable.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

// Closing would remove the log beside the name, which now belongs to another file.
Database::~Database() {
  if (connection_ == nullptr || missing() == nullptr) return;
  int keep = 1;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
}

void Database::remember_files() {
  files_.clear();
  for (const char* end : {"", "-wal"}) {
    const Path file = path_.string() + end;
    struct stat info;
    if (::lstat(file.c_str(), &info) == 0) files_.push_back({file, info.st_dev, info.st_ino});
  }
}

const Database::Known* Database::missing() const {
  for (const Known& file : files_) {
    struct stat info;
    if (::lstat(file.path.c_str(), &info) != 0 || info.st_dev != file.device ||
        info.st_ino != file.inode) {
      return &file;
    }
  }
  return nullptr;
}

// An unlinked file is gone once the program that has it open ends.
void Database::rescue() {
  if (!rescued_.empty()) return;
  const Path copy = fmt::format("{}.rescued-{}", path_.string(), unpredictable_name());
  try {
    make_private(copy);
    Query(*this, "VACUUM INTO ?", copy.string()).run();
    rescued_ = copy;
  } catch (const Error&) {
    remove_file(copy);  // retried with the next answer
  }
}

void Database::check_still_there() {
  const Known* file = missing();
  if (file == nullptr) return;
  rescue();
  fail(
      "{}: the file was removed or replaced while the review was open; nothing can be saved until "
      "it is back{}",
      file->path.string(),
      rescued_.empty() ? ""
                       : fmt::format("; what it held is in {}: end the program (Ctrl-C), give that "
                                     "the name and start again",
                                     rescued_.filename().string()));
}

void Database::fail_with_reason(int code) const {
  const std::string reason =
      connection_ != nullptr ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  if ((code & 0xff) == SQLITE_FULL) out_of_space_ = true;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      fail("{}: expected a review, found another kind of file; choose another folder",
           path_.string());
    case SQLITE_CORRUPT:
      fail("{}: the file is damaged ({}); restore it from a backup", path_.string(), reason);
    case SQLITE_FULL:
      fail("{}: the disk is full; nothing was saved, free some space and try again",
           path_.string());
    case SQLITE_IOERR:
      fail("{}: the file cannot be read or written ({}); nothing was saved", path_.string(),
           reason);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail("{}: another program holds the file ({}); nothing was saved, end that program",
           path_.string(), reason);
    default:
      fail("{}: {}", path_.string(), reason);
  }
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail_with_reason(code);
}

int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(connection_.get()); }

int Database::changes() const { return sqlite3_changes(connection_.get()); }

sqlite3_stmt* Database::prepared(std::string_view sql) {
  auto [place, added] = statements_.try_emplace(std::string(sql));
  if (added) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
      statements_.erase(place);
      fail_with_reason(code);
    }
    place->second.reset(statement);
  }
  return place->second.get();
}

Query::Query(Database& database, std::string_view sql, Unbound)
    : database_(database), statement_(database.prepared(sql)) {
  if (sqlite3_stmt_busy(statement_) != 0)
    fail("{}: a query was started again before it ended", database.path_.string());
}

Query::~Query() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Query::check(int code) const {
  if (code != SQLITE_OK) database_.fail_with_reason(code);
}

void Query::bind(int64_t value) { check(sqlite3_bind_int64(statement_, ++bound_, value)); }

void Query::bind(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); }

void Query::bind(std::string_view value) {
  check(sqlite3_bind_text64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}

void Query::bind(std::nullptr_t) { check(sqlite3_bind_null(statement_, ++bound_)); }

bool Query::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail_with_reason(code);
  return false;
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Query::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Query::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const auto bytes = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return text == nullptr ? std::string() : std::string(text, bytes);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.check_still_there();
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {
    // SQLite itself rolled back when the statement failed.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
  database_.out_of_space_ = false;
}

}  // namespace spml::review
