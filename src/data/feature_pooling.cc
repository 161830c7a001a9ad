#include "data/feature_pooling.h"

#include <algorithm>

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
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
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
    begin = end + 1;
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

std::string describe(const FeaturePooling& pooling) {
  std::string text = to_string(pooling.pools);
  if (std::ranges::find(pooling.pools, Pool::kGem) != pooling.pools.end()) {
    text += fmt::format(" with p = {:g}", pooling.gem_p);
  }
  return pooling.mirror ? text + ", mirrored" : text;
}

}  // namespace spml
