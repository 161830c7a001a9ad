// Values read from review.db, checked because the file may have been altered.
#pragma once

#include <chrono>
#include <limits>

#include "base/fail.h"
#include "review/store/entry.h"
#include "review/store/sqlite.h"

namespace spml::review {

inline int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

inline State checked_state(int64_t value) {
  if (value < 0 || value >= kStates) fail("expected a state from 0 to 3, found {}", value);
  return static_cast<State>(value);
}

// A row or a label. A larger number, cut to 32 bits, would be taken for another row.
inline int32_t checked_index(int64_t value) {
  if (value < 0 || value > std::numeric_limits<int32_t>::max())
    fail("expected a row or a label, found {}", value);
  return static_cast<int32_t>(value);
}

// Columns `first` and the next one.
inline Entry entry_of(const Query& query, int first) {
  return {checked_index(query.integer(first)), checked_index(query.integer(first + 1))};
}

inline uint64_t checked_count(int64_t value) {
  if (value < 0) fail("expected a count of 0 or more, found {}", value);
  return static_cast<uint64_t>(value);
}

// Milliseconds since 1970. Differences of two fit, and JSON has them exactly.
inline int64_t checked_time(int64_t value) {
  if (value < 0 || value > int64_t{1} << 53)
    fail("expected a time in ms since 1970, found {}", value);
  return value;
}

}  // namespace spml::review
