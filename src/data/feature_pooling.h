// How images become rows of features: the sizes at which a network sees them, the maps that are
// taken from it, and how a map becomes numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

enum class Pool { kAvg, kMax, kGem };

// Images are resized to at most so many pixels a side; smaller ones leave a network no map.
constexpr int kMinImageSize = 32, kMaxImageSize = 4096;
constexpr size_t kMaxImageSizes = 8;  // that a row is made of

constexpr double kDefaultGemP = 3, kMinGemP = 1, kMaxGemP = 100;

struct FeaturePooling {
  std::vector<Pool> pools{Pool::kAvg};  // of each map, one after the other
  double gem_p = kDefaultGemP;          // GeM: the mean of x^p, to the power 1/p
  bool mirror = false;                  // the mean of the image's row and its mirror image's
  std::vector<int> layers{4};           // whose maps are taken, from low to high: 1 to 4

  // The mean of the image alone, which is also what a network in training ends with.
  bool is_plain() const { return *this == FeaturePooling{}; }
  bool operator==(const FeaturePooling&) const = default;
};

// "avg", "max", "gem", "avgmax", or several with commas between them. Usage error that starts with
// `where` for anything else.
std::vector<Pool> parse_pools(std::string_view text, std::string_view where);
std::string to_string(const std::vector<Pool>& pools);

// "layer4", or several layers with commas between them, from low to high. Usage errors as above.
std::vector<int> parse_layers(std::string_view text, std::string_view where);
std::string layers_text(const std::vector<int>& layers);

// "448", or several sizes with commas between them: kMinImageSize to kMaxImageSize, each once.
std::vector<int> parse_sizes(std::string_view text, std::string_view where);
std::string sizes_text(const std::vector<int>& sizes);

// "avg", "gem with p = 3, of layer3,layer4, mirrored": for messages.
std::string describe(const FeaturePooling& pooling);

}  // namespace spml
