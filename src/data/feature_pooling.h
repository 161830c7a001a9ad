// How the last map of an image network becomes one row of features.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spml {

enum class Pool { kAvg, kMax, kGem };

constexpr double kDefaultGemP = 3, kMinGemP = 1, kMaxGemP = 100;

struct FeaturePooling {
  std::vector<Pool> pools{Pool::kAvg};  // one after the other in a row, D features each
  double gem_p = kDefaultGemP;          // GeM: the mean of x^p, to the power 1/p
  bool mirror = false;                  // the mean of the image's row and its mirror image's

  // The mean of the image alone, which is also what a network in training ends with.
  bool is_plain() const { return *this == FeaturePooling{}; }
  bool operator==(const FeaturePooling&) const = default;
};

// "avg", "max", "gem", "avgmax", or several with commas between them. Usage error that starts with
// `where` for anything else.
std::vector<Pool> parse_pools(std::string_view text, std::string_view where);
std::string to_string(const std::vector<Pool>& pools);

// "avg", "gem with p = 3, mirrored": for messages.
std::string describe(const FeaturePooling& pooling);

}  // namespace spml
