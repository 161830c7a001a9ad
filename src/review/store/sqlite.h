// The part of SQLite that the review needs. Only sqlite.cc includes its header.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"

struct sqlite3;
struct sqlite3_stmt;

namespace spml::review {

// One connection, for one thread at a time. Every failure is an Error that names the file.
class Database {
 public:
  enum class Access { kReadOnly, kReadWrite, kCreate };

  Database(const Path& path, Access access);
  Database(Database&&) = default;
  Database& operator=(Database&&) = delete;
  ~Database();
  static Database in_memory() { return Database(":memory:", Access::kCreate); }

  const Path& path() const { return path_; }
  void execute(const std::string& sql);  // any number of statements, no results
  int64_t last_insert_id() const;
  int changes() const;  // rows that the last statement changed
  // Whether a write failed because the disk was full and none has been committed since.
  bool is_out_of_space() const { return out_of_space_; }

  // From now on check_still_there() is an Error when the open files were removed or replaced, since
  // whatever is written to them would be lost. Their contents are copied to a file beside them,
  // which the message names. Not to be used inside a transaction.
  void remember_files();
  void check_still_there();

 private:
  friend class Query;
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  sqlite3_stmt* prepared(std::string_view sql);
  [[noreturn]] void fail_with_reason(int code) const;

  // A file as the file system knows it.
  struct Known {
    Path path;
    uint64_t device = 0, inode = 0;
  };
  const Known* missing() const;  // one of the files that was removed or replaced
  void rescue();

  Path path_;
  mutable bool out_of_space_ = false;
  std::vector<Known> files_;
  Path rescued_;  // a copy of files that were removed
  std::unique_ptr<sqlite3, Close> connection_;
  // Statements are prepared once and must be destroyed before the connection.
  std::unordered_map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

// One use of a prepared statement, with its values bound in order:
//   Query query(database, "SELECT a FROM t WHERE b = ?", 3);
//   while (query.next()) use(query.integer(0));
class Query {
 public:
  template <class... Values>
  Query(Database& database, std::string_view sql, const Values&... values)
      : Query(database, sql, Unbound{}) {
    (bind(values), ...);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();  // frees the statement for its next use

  void bind(int64_t value);
  void bind(int32_t value) { bind(static_cast<int64_t>(value)); }
  void bind(uint64_t value) { bind(static_cast<int64_t>(value)); }
  void bind(double value);
  void bind(std::string_view value);
  void bind(const std::string& value) { bind(std::string_view(value)); }
  void bind(const char* value) { bind(std::string_view(value)); }
  void bind(std::nullptr_t);

  bool next();  // the next row of the result; false at its end
  void run() {  // a statement without a result
    while (next()) {
    }
  }
  bool is_null(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  struct Unbound {};
  Query(Database& database, std::string_view sql, Unbound);
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

// Everything until commit() happens together or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace spml::review
