#include "review/store/entry.h"

namespace spml::review {
namespace {

constexpr std::string_view kNames[kStates] = {"open", "yes", "no", "unsure"};

}  // namespace

std::string_view to_string(State state) { return kNames[static_cast<int>(state)]; }

std::optional<State> state_from(std::string_view text) {
  for (int i = 0; i < kStates; ++i) {
    if (kNames[i] == text) return static_cast<State>(i);
  }
  return std::nullopt;
}

}  // namespace spml::review
