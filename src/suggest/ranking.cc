#include "suggest/ranking.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/rng.h"

namespace spml {
namespace {

struct Ranked {
  double key;  // higher first
  Suggestion suggestion;

  bool operator<(const Ranked& other) const {
    if (key != other.key) return key > other.key;
    if (suggestion.row != other.suggestion.row) return suggestion.row < other.suggestion.row;
    return suggestion.label < other.suggestion.label;
  }
};

// Keeps the best `most` of what is added, cutting the list whenever it is twice as long.
class Best {
 public:
  explicit Best(std::optional<size_t> most) : most_(most) {}

  void add(const Ranked& ranked) {
    list_.push_back(ranked);
    if (most_ && list_.size() > *most_ && list_.size() - *most_ >= *most_ + 1024) cut();
  }
  std::vector<Ranked> take() {
    if (most_ && list_.size() > *most_) cut();
    std::sort(list_.begin(), list_.end());
    return std::move(list_);
  }

 private:
  void cut() {
    const auto end = list_.begin() + static_cast<ptrdiff_t>(*most_);
    std::nth_element(list_.begin(), end, list_.end());
    list_.erase(end, list_.end());
  }

  std::optional<size_t> most_;
  std::vector<Ranked> list_;
};

}  // namespace

SuggestOrder suggest_order_from(std::string_view name) {
  if (name == "score") return SuggestOrder::kScore;
  if (name == "uncertainty") return SuggestOrder::kUncertainty;
  if (name == "random") return SuggestOrder::kRandom;
  fail_usage("--sort: expected score, uncertainty or random, found '{}'", name);
}

std::vector<Suggestion> rank_missing(View<const float> probabilities, View<const int8_t> known,
                                     const std::vector<int32_t>& rows,
                                     const RankingOptions& options) {
  const size_t labels = known.cols;
  std::vector<Best> lists(options.per_class ? labels : 1,
                          Best(options.per_class ? options.per_class : options.top));
  for (size_t i = 0; i < known.rows; ++i) {
    for (size_t j = 0; j < labels; ++j) {
      if (known(i, j) != 0) continue;
      const float p = probabilities(i, j);
      if (options.min_score && p < *options.min_score) continue;
      double key = p;
      if (options.order == SuggestOrder::kUncertainty) key = -std::abs(p - 0.5);
      if (options.order == SuggestOrder::kRandom) {
        const auto entry = static_cast<uint64_t>(rows[i]) * labels + j;
        key = to_unit(random_u64(options.seed, Stream::kTrials, entry));
      }
      lists[options.per_class ? j : 0].add({key, {rows[i], static_cast<int32_t>(j), p}});
    }
  }
  std::vector<Ranked> all;
  for (Best& list : lists) {
    const std::vector<Ranked> best = list.take();
    all.insert(all.end(), best.begin(), best.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<Suggestion> result;
  for (const Ranked& ranked : all) result.push_back(ranked.suggestion);
  return result;
}

}  // namespace spml
