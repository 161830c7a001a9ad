// Values as they stand in review.db; its file may have been altered, so they are checked.
#pragma once

#include <chrono>

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

// Columns `first` and the next one.
inline Entry entry_of(const Query& query, int first) {
  return {static_cast<int32_t>(query.integer(first)),
          static_cast<int32_t>(query.integer(first + 1))};
}

}  // namespace spml::review
