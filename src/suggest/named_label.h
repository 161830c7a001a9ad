// What one observed label implies about the others in its row. An annotator names one of a row's
// labels at random; having named j rather than l makes l a little less likely:
//
//   P(l there | j named) = f_l I(1-v) / (f_l I(1-v) + (1 - f_l) I(1))
//   I(g) = integral over v from 0 to 1 of g(v) prod_{m not j, l} (1 - f_m v)
//
// with f_m = 1 for labels known to be present and 0 for those known to be absent. If no other label
// is likely, the odds of l are halved; if many are, they hardly change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spml {

class NamedLabel {
 public:
  // Conditions the probabilities (L) of a row's labels on one of its known positives having been
  // named at random. Known labels get the probability they would have if they were unknown.
  void condition(std::span<const int8_t> known, std::span<float> probabilities);

 private:
  std::vector<double> f_, product_;
};

}  // namespace spml
