// Values as they stand in review.db; its file may have been altered, so they are checked.
#pragma once

#include <chrono>
#include <limits>

#include "base/fail.h"
#include "review/entry.h"
#include "review/sqlite.h"

namespace spml::review {

inline int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

inline State checked_state(int64_t value) {
  if (value < 0 || value >= kStates) fail("expected a state from 0 to 3, found {}", value);
  return static_cast<State>(value);
}

// A row or a label. Cut to 32 bits, a larger number would pass for another one.
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

}  // namespace spml::review
