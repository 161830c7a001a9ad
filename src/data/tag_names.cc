#include "data/tag_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/quoted_word.h"
#include "base/unicode.h"
#include "base/utf8.h"

namespace spml {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Spaces that do not break count as spaces; what has no width as nothing.
std::string plain_spaces(std::string_view name) {
  constexpr std::string_view kNoBreak = "\xC2\xA0", kNoWidth = "\xE2\x80\x8B",
                             kMark = "\xEF\xBB\xBF";
  std::string text;
  while (!name.empty()) {
    if (name.starts_with(kNoBreak)) {
      text += ' ';
      name.remove_prefix(kNoBreak.size());
    } else if (name.starts_with(kNoWidth) || name.starts_with(kMark)) {
      name.remove_prefix(kMark.size());
    } else {
      text += name.front();
      name.remove_prefix(1);
    }
  }
  return text;
}

// Without what people put between the parts of a word or leave out.
std::string joined(std::string_view key) {
  std::string result;
  std::ranges::copy_if(key, std::back_inserter(result), [](char c) {
    return kBlanks.find(c) == kBlanks.npos && c != '-' && c != '_' && c != '.';
  });
  return result.empty() ? std::string(key) : result;
}

// What an English plural may be one of; none for short words, in which an s is often a letter.
std::vector<std::string> singulars(std::string_view word) {
  std::vector<std::string> result;
  if (word.size() < 4 || !word.ends_with('s') || word.ends_with("ss")) return result;
  result.emplace_back(word.substr(0, word.size() - 1));
  if (word.ends_with("es")) result.emplace_back(word.substr(0, word.size() - 2));
  if (word.ends_with("ies")) result.push_back(fmt::format("{}y", word.substr(0, word.size() - 3)));
  return result;
}

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

// The names by something that similar ones share, and the pairs that were found.
class Pairs {
 public:
  Pairs(std::span<const std::string> names, std::span<const size_t> counts)
      : names_(names), counts_(counts) {}

  void add(size_t a, size_t b) {
    if (a == b) return;
    if (counts_[a] > counts_[b] || (counts_[a] == counts_[b] && names_[a] < names_[b])) {
      std::swap(a, b);
    }
    if (partners_[a].insert(b).second) pairs_.push_back({a, b});
  }
  std::vector<SimilarTags> sorted() {
    std::ranges::sort(pairs_, [&](const SimilarTags& x, const SimilarTags& y) {
      return std::tie(names_[x.common], names_[x.rare]) <
             std::tie(names_[y.common], names_[y.rare]);
    });
    return std::move(pairs_);
  }

 private:
  std::span<const std::string> names_;
  std::span<const size_t> counts_;
  std::unordered_map<size_t, std::unordered_set<size_t>> partners_;
  std::vector<SimilarTags> pairs_;
};

// Names of which leaving out one letter gives the same, or which are what the other gives. A wrong
// letter counts only where one name is rare beside the other: horses and houses are both words.
void add_slips(std::span<const std::string> keys, std::span<const size_t> counts, Pairs& pairs) {
  constexpr size_t kShortest = 6, kLongest = 40;
  std::unordered_map<std::string, std::vector<size_t>> shortened;
  const auto meet = [&](const std::string& text, size_t i) {
    auto& others = shortened[text];
    for (const size_t other : others) {
      const size_t few = std::min(counts[i], counts[other]),
                   many = std::max(counts[i], counts[other]);
      if (few * 10 <= many) pairs.add(i, other);
    }
    if (others.size() < 20) others.push_back(i);
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i];
    if (key.size() < kShortest || key.size() > kLongest || has_digit(key)) continue;
    std::unordered_set<std::string> variants = {key};
    for (size_t at = 0; at < key.size(); ++at) {
      variants.insert(std::string(key).erase(at, 1));
    }
    for (const std::string& variant : variants) meet(variant, i);
  }
}

}  // namespace

std::string tidy_tag(std::string_view name) {
  const std::string text = plain_spaces(name);
  std::string tidy;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (blank && (tidy.empty() || tidy.back() == ' ')) continue;
    tidy += blank ? ' ' : c;
  }
  if (tidy.ends_with(' ')) tidy.pop_back();
  return composed(tidy);
}

std::string tag_key(std::string_view name) { return folded(tidy_tag(name)); }

std::vector<SimilarTags> similar_tags(std::span<const std::string> names,
                                      std::span<const size_t> counts) {
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const std::string& name : names) keys.push_back(joined(tag_key(name)));
  Pairs pairs(names, counts);
  std::unordered_map<std::string_view, size_t> first_of;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto [place, is_new] = first_of.emplace(keys[i], i);
    if (!is_new) pairs.add(place->second, i);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    for (const std::string& singular : singulars(keys[i])) {
      if (const auto found = first_of.find(singular); found != first_of.end()) {
        pairs.add(found->second, i);
      }
    }
  }
  add_slips(keys, counts, pairs);
  return pairs.sorted();
}

std::string describe(const SimilarTags& pair, std::span<const std::string> names,
                     std::span<const size_t> counts) {
  return fmt::format("'{}' ({}) and '{}' ({})", names[pair.rare], counts[pair.rare],
                     names[pair.common], counts[pair.common]);
}

std::string merge_command(const SimilarTags& pair, std::span<const std::string> names,
                          std::string_view folder) {
  return fmt::format("spml tags {} merge {} into {}", quoted_word(folder),
                     quoted_word(names[pair.rare]), quoted_word(names[pair.common]));
}

}  // namespace spml
