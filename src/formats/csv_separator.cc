// Which character stands between the fields of a table.
#include <algorithm>
#include <array>

#include "formats/csv.h"

namespace spml {
namespace {

constexpr std::array<char, 4> kSeparators = {',', ';', '\t', '|'};

using Counts = std::array<size_t, kSeparators.size()>;

// Counts in the record that begins at `position`, which moves behind it.
Counts count_record(std::string_view text, size_t& position, std::array<size_t, 4>* places) {
  Counts counts{};
  bool quoted = false;
  for (; position < text.size(); ++position) {
    const char c = text[position];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    const auto found = std::ranges::find(kSeparators, c);
    if (found == kSeparators.end()) continue;
    const auto which = static_cast<size_t>(found - kSeparators.begin());
    if (counts[which]++ == 0 && places != nullptr) (*places)[which] = position;
  }
  while (position < text.size() && (text[position] == '\n' || text[position] == '\r')) ++position;
  return counts;
}

}  // namespace

char detect_separator(std::string_view text) {
  constexpr size_t kRecords = 50;
  constexpr size_t kBytes = size_t{1} << 20;
  text = text.substr(0, kBytes);
  size_t position = std::min(text.find_first_not_of("\r\n"), text.size());
  std::array<size_t, kSeparators.size()> places{};
  const Counts first = count_record(text, position, &places);
  Counts least = first;
  for (size_t record = 1; record < kRecords && position < text.size(); ++record) {
    const Counts counts = count_record(text, position, nullptr);
    for (size_t i = 0; i < counts.size(); ++i) least[i] = std::min(least[i], counts[i]);
  }
  // One that every record has before one that only the first has; else the one met first.
  const auto better = [&](size_t a, size_t b) {
    if ((least[a] > 0) != (least[b] > 0)) return least[a] > 0;
    if ((first[a] > 0) != (first[b] > 0)) return first[a] > 0;
    return first[a] > 0 && places[a] < places[b];
  };
  size_t best = 0;
  for (size_t i = 1; i < kSeparators.size(); ++i) {
    if (better(i, best)) best = i;
  }
  return kSeparators[best];
}

}  // namespace spml
