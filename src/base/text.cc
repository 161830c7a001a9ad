#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/utf8.h"

namespace spml {
namespace {

// Optimal string alignment distance (edits and swaps of neighbours).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

bool is_unprintable(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return c < 0x20 || within(0x7f, 0x9f) || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2060, 0x206f) || c == 0x061c || c == 0xfeff || within(0xfff9, 0xfffb) ||
         within(0xe0000, 0xe007f);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  // Longer ones are no slips of the pen, and the work grows with the square of the length.
  constexpr size_t kMaxLength = 100, kMaxCandidates = 10'000;
  if (word.size() > kMaxLength || candidates.size() > kMaxCandidates) return "";
  std::string best;
  const std::string lower = lower_case(word);
  // In halves of a letter: what is cut short is nearer than two slips, and further than one.
  size_t best_distance = 2 * std::max<size_t>(2, word.size() / 2);
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kMaxLength) continue;
    const std::string known = lower_case(candidate);
    size_t distance = 2 * edit_distance(lower, known);
    if (lower.size() >= 2 && known.starts_with(lower)) distance = std::min<size_t>(distance, 3);
    if (distance <= best_distance && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string name = nearest(word, candidates);
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

std::string either(std::span<const std::string> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::optional<char32_t> c = take_utf8(text);
    if (c && !is_unprintable(*c)) {
      append_utf8(result, *c);
    } else {
      result += '?';
    }
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result += printable(line);
    text.remove_prefix(line.size());
    if (!text.empty()) result += '\n';
    if (!text.empty()) text.remove_prefix(1);
  }
  return result;
}

std::string printable_json(std::string_view json) {
  std::string result;
  while (!json.empty()) {
    const std::optional<char32_t> c = take_utf8(json);
    if (!c) {
      result += '?';
    } else if (*c == '\n' || !is_unprintable(*c)) {
      append_utf8(result, *c);
    } else if (*c < 0x10000) {
      result += fmt::format("\\u{:04x}", static_cast<uint32_t>(*c));
    } else {  // two halves, as in UTF-16
      const uint32_t rest = *c - 0x10000;
      result += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    }
  }
  return result;
}

}  // namespace spml
