// What is reviewed: the unknown entries of the training file's label matrix.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spml::review {

// Stored as these numbers in review.db.
enum class State : int8_t { kOpen = 0, kYes = 1, kNo = 2, kUnsure = 3 };
inline constexpr int kStates = 4;

std::string_view to_string(State state);                 // open, yes, no, unsure
std::optional<State> state_from(std::string_view text);  // nothing for any other word

struct Entry {
  int32_t row = 0;    // of the training file
  int32_t label = 0;  // column
  auto operator<=>(const Entry&) const = default;
};

// An entry and the probability that it is a missing label.
struct Suggestion {
  Entry entry;
  float score = 0;
};

}  // namespace spml::review
