// One class's scores, split by truth and sorted: what the threshold sweep of average precision and
// of F1 walks over.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "spml/view.h"

namespace spml {

// Finite floats as integers in the same order; -0.0 and 0.0 have one key.
uint32_t sort_key(float score);
float score_of_key(uint32_t key);

class ClassScores {
 public:
  // Room for a column of `rows` scores; load() then allocates nothing.
  explicit ClassScores(size_t rows);

  // Takes column j of (N, L) matrices; truth > 0 is positive.
  void load(View<const float> scores, View<const int8_t> truth, size_t j);

  // Keys, ascending.
  std::span<const uint32_t> positives() const { return {keys_.data(), positives_}; }
  std::span<const uint32_t> negatives() const {
    return {keys_.data() + positives_, keys_.size() - positives_};
  }

 private:
  std::vector<uint32_t> keys_;     // the positives, then the negatives
  std::vector<uint32_t> scratch_;  // as large as keys_
  size_t positives_ = 0;
};

// visit(j, class scores) for every class j, spread over at most `threads` threads.
void for_each_class(View<const float> scores, View<const int8_t> truth, int threads,
                    const std::function<void(size_t, const ClassScores&)>& visit);

}  // namespace spml
