// Names of tags that mean the same.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

// The name as it is compared: accents composed, in one case, spaces between words single. What
// spreadsheets hide counts as a space: U+00A0, and U+200B and U+FEFF as nothing.
std::string tag_key(std::string_view name);
// The name as it is shown: the same in its own case.
std::string tidy_tag(std::string_view name);

struct SimilarTags {
  size_t rare = 0, common = 0;  // of the names
};

// Pairs that are likely the same tag: they differ by case, by hyphens, spaces and underscores, by a
// plural, or, in long names of which one is rare, by one letter. `counts` says how often each
// occurs. Ordered by the name of the common one.
std::vector<SimilarTags> similar_tags(std::span<const std::string> names,
                                      std::span<const size_t> counts);

// "'icons' (3) and 'icon' (120)", and the command that merges them in `folder`.
std::string describe(const SimilarTags& pair, std::span<const std::string> names,
                     std::span<const size_t> counts);
std::string merge_command(const SimilarTags& pair, std::span<const std::string> names,
                          std::string_view folder);

}  // namespace spml
