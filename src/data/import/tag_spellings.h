// Tags by what people mean: "Cat", "cat" and "cat " with a no-break space are one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"

namespace spml {

class TagSpellings {
 public:
  // `fixed`: the names of the classes, in order; empty: as they are met. `keep_case`: only names
  // that are the same byte for byte are one.
  TagSpellings(std::vector<std::string> fixed, bool keep_case);

  // The tag's number; Error, which begins with `place`, for one that the fixed names do not have,
  // and for too many. `memory` is charged for new names.
  int32_t number(const std::string& spelling, const std::string& place, MemoryMeter& memory);

  // Each tag in its most frequent spelling, by number.
  std::vector<std::string> names() const;
  // What a user should know, after "FILE: "; "" when each tag has one spelling.
  std::string notice() const;

 private:
  struct Spelling {
    int32_t tag = 0;
    size_t count = 0, order = 0;
  };
  int32_t new_tag(const std::string& place);

  bool fixed_, keep_case_;
  std::vector<std::string> names_;                   // of fixed tags
  std::unordered_map<std::string, int32_t> by_key_;  // -1: several fixed names have it
  std::unordered_map<std::string, Spelling> spellings_;
  int32_t tags_ = 0;
};

}  // namespace spml
