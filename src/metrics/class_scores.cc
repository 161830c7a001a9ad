#include "metrics/class_scores.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/parallel.h"

namespace spml {
namespace {

constexpr uint32_t kSignBit = 0x80000000U;
constexpr int kDigitBits = 11, kDigits = 3;
constexpr size_t kBuckets = size_t{1} << kDigitBits;
constexpr size_t kSmall = 512;  // below this, clearing the counts costs more than comparing

size_t digit(uint32_t key, int d) { return (key >> (d * kDigitBits)) & (kBuckets - 1); }

// Least significant digit first; `scratch` is at least as long as `keys`.
void radix_sort(std::span<uint32_t> keys, std::span<uint32_t> scratch) {
  if (keys.size() < kSmall) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  std::array<std::array<uint32_t, kBuckets>, kDigits> counts{};
  for (const uint32_t key : keys) {
    for (int d = 0; d < kDigits; ++d) ++counts[d][digit(key, d)];
  }
  std::span<uint32_t> from = keys, to = scratch.first(keys.size());
  for (int d = 0; d < kDigits; ++d) {
    auto& next = counts[d];
    if (next[digit(keys[0], d)] == keys.size()) continue;  // one bucket holds everything
    uint32_t start = 0;
    for (uint32_t& count : next) start += std::exchange(count, start);
    for (const uint32_t key : from) to[next[digit(key, d)]++] = key;
    std::swap(from, to);
  }
  if (from.data() != keys.data()) std::copy(from.begin(), from.end(), keys.begin());
}

}  // namespace

// Negative floats order backwards by their bits: flip them all; the rest only gain the sign bit.
uint32_t sort_key(float score) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0F);  // -0.0 + 0.0 is 0.0
  return bits ^ ((bits & kSignBit) != 0 ? ~0U : kSignBit);
}

float score_of_key(uint32_t key) {
  return std::bit_cast<float>(key ^ ((key & kSignBit) != 0 ? kSignBit : ~0U));
}

ClassScores::ClassScores(size_t rows) : keys_(rows), scratch_(rows) {}

void ClassScores::load(View<const float> scores, View<const int8_t> truth, size_t j) {
  positives_ = 0;
  size_t end = keys_.size();
  for (size_t i = 0; i < scores.rows; ++i) {
    const uint32_t key = sort_key(scores(i, j));
    const bool positive = truth(i, j) > 0;
    // Positives fill from the front, negatives from the back.
    keys_[positive ? positives_ : end - 1] = key;
    positives_ += positive;
    end -= !positive;
  }
  const std::span<uint32_t> keys(keys_);
  radix_sort(keys.first(positives_), scratch_);
  radix_sort(keys.subspan(positives_), scratch_);
}

void for_each_class(View<const float> scores, View<const int8_t> truth, int threads,
                    const std::function<void(size_t, const ClassScores&)>& visit) {
  const size_t labels = scores.cols;
  const size_t parts = std::min(labels, static_cast<size_t>(std::max(1, threads)));
  parallel_for(parts, threads, [&](size_t part) {  // one buffer per thread, not per class
    ClassScores column(scores.rows);
    for (size_t j = labels * part / parts; j < labels * (part + 1) / parts; ++j) {
      column.load(scores, truth, j);
      visit(j, column);
    }
  });
}

}  // namespace spml
