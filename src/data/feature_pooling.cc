#include "data/feature_pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/commas.h"
#include "base/fail.h"

namespace spml {
namespace {

struct Name {
  std::string_view text;
  std::vector<Pool> pools;
};

const std::vector<Name>& names() {
  static const std::vector<Name> all = {{"avg", {Pool::kAvg}},
                                        {"max", {Pool::kMax}},
                                        {"gem", {Pool::kGem}},
                                        {"avgmax", {Pool::kAvg, Pool::kMax}}};
  return all;
}

std::string_view name_of(Pool pool) {
  return std::ranges::find_if(names(), [&](const Name& n) { return n.pools.front() == pool; })
      ->text;
}

}  // namespace

std::vector<Pool> parse_pools(std::string_view text, std::string_view where) {
  std::vector<Pool> pools;
  for (const std::string& word : split_at_commas(text)) {
    const auto name = std::ranges::find(names(), word, &Name::text);
    if (name == names().end()) {
      fail_usage("{}: expected avg, max, avgmax or gem, or several of them with commas, found '{}'",
                 where, word);
    }
    for (const Pool pool : name->pools) {
      if (std::ranges::find(pools, pool) != pools.end()) {
        fail_usage("{}: expected each pooling once, found {} twice in '{}'", where, name_of(pool),
                   text);
      }
      pools.push_back(pool);
    }
  }
  return pools;
}

std::string to_string(const std::vector<Pool>& pools) {
  for (const Name& name : names()) {
    if (name.pools == pools) return std::string(name.text);
  }
  std::string text;
  for (const Pool pool : pools) text.append(text.empty() ? "" : ",").append(name_of(pool));
  return text;
}

std::vector<int> parse_layers(std::string_view text, std::string_view where) {
  std::vector<int> layers;
  for (const std::string& word : split_at_commas(text)) {
    const bool is_layer =
        word.size() == 6 && word.starts_with("layer") && '1' <= word[5] && word[5] <= '4';
    const int layer = is_layer ? word[5] - '0' : 0;
    if (!is_layer || (!layers.empty() && layer <= layers.back())) {
      fail_usage(
          "{}: expected layer1 to layer4, or several of them with commas from low to high, "
          "found '{}'",
          where, text);
    }
    layers.push_back(layer);
  }
  return layers;
}

std::string layers_text(const std::vector<int>& layers) {
  return fmt::format("layer{}", fmt::join(layers, ",layer"));
}

std::vector<int> parse_sizes(std::string_view text, std::string_view where) {
  std::vector<int> sizes;
  for (const std::string& word : split_at_commas(text)) {
    int size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size() || size < kMinImageSize ||
        size > kMaxImageSize) {
      fail_usage(
          "{}: expected a number of pixels from {} to {}, or several with commas, found '{}'",
          where, kMinImageSize, kMaxImageSize, word);
    }
    if (std::ranges::find(sizes, size) != sizes.end() || sizes.size() == kMaxImageSizes) {
      fail_usage("{}: expected up to {} sizes, each once, found '{}'", where, kMaxImageSizes, text);
    }
    sizes.push_back(size);
  }
  return sizes;
}

std::string sizes_text(const std::vector<int>& sizes) {
  return fmt::format("{}", fmt::join(sizes, ","));
}

std::string describe(const FeaturePooling& pooling) {
  std::string text = to_string(pooling.pools);
  if (std::ranges::find(pooling.pools, Pool::kGem) != pooling.pools.end()) {
    text += fmt::format(" with p = {:g}", pooling.gem_p);
  }
  if (pooling.layers != FeaturePooling{}.layers) text += ", of " + layers_text(pooling.layers);
  return pooling.mirror ? text + ", mirrored" : text;
}

}  // namespace spml
