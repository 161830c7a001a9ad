#include "data/import/tag_spellings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "base/text.h"
#include "data/import/import.h"
#include "data/tag_names.h"

namespace spml {

TagSpellings::TagSpellings(std::vector<std::string> fixed, bool keep_case)
    : fixed_(!fixed.empty()), keep_case_(keep_case), names_(std::move(fixed)) {
  for (const std::string& name : names_) {
    spellings_.emplace(name, Spelling{tags_, 0, spellings_.size()});
    const auto [place, is_new] = by_key_.emplace(tag_key(name), tags_);
    if (!is_new) place->second = -1;
    ++tags_;
  }
}

int32_t TagSpellings::new_tag(const std::string& place) {
  if (static_cast<size_t>(tags_) == kMaxClasses) {
    fail("{}: expected at most {} classes; is another column taken for a label?", place,
         kMaxClasses);
  }
  return tags_++;
}

int32_t TagSpellings::number(const std::string& spelling, const std::string& place,
                             MemoryMeter& memory) {
  if (const auto known = spellings_.find(spelling); known != spellings_.end()) {
    ++known->second.count;
    return known->second.tag;
  }
  constexpr size_t kNameBytes = 128;  // of a map, without text
  if (spellings_.size() >= 4 * kMaxClasses) {
    fail("{}: expected at most {} spellings of tags", place, 4 * kMaxClasses);
  }
  memory.add(3 * (kNameBytes + spelling.size()));
  const auto found = keep_case_ ? by_key_.end() : by_key_.find(tag_key(spelling));
  int32_t tag = found == by_key_.end() ? -1 : found->second;
  if (tag < 0) {
    if (fixed_) {
      fail("{}: '{}' is not one of the classes{}", place, spelling, did_you_mean(spelling, names_));
    }
    tag = new_tag(place);
    if (!keep_case_) by_key_.emplace(tag_key(spelling), tag);
  }
  spellings_.emplace(spelling, Spelling{tag, 1, spellings_.size()});
  return tag;
}

std::vector<std::string> TagSpellings::names() const {
  if (fixed_) return names_;
  std::vector<std::string> names(static_cast<size_t>(tags_));
  std::vector<Spelling> best(names.size());
  for (const auto& [text, spelling] : spellings_) {
    const auto tag = static_cast<size_t>(spelling.tag);
    const bool better = spelling.count > best[tag].count ||
                        (spelling.count == best[tag].count && spelling.order < best[tag].order);
    if (!names[tag].empty() && !better) continue;
    best[tag] = spelling;
    names[tag] = keep_case_ ? text : tidy_tag(text);
  }
  return names;
}

std::string TagSpellings::notice() const {
  const std::vector<std::string> kept = names();
  std::vector<std::string> merged;
  for (const auto& [text, spelling] : spellings_) {
    const std::string& name = kept[static_cast<size_t>(spelling.tag)];
    if (text != name && tidy_tag(text) != name) {
      merged.push_back(fmt::format("'{}' as '{}'", text, name));
    }
  }
  if (merged.empty()) return "";
  std::ranges::sort(merged);
  constexpr size_t kShown = 10;
  const size_t more = merged.size() - std::min(merged.size(), kShown);
  merged.resize(merged.size() - more);
  return fmt::format(
      "spellings of one tag are read as the most frequent: {}{}; --keep-case keeps "
      "them apart",
      fmt::join(merged, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace spml
