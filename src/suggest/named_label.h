// What one observed label says of the others in its row. An annotator names one of a row's labels
// at random; that it was j, and not l, makes l a little less likely:
//
//   P(l there | j named) = f_l I(1-v) / (f_l I(1-v) + (1 - f_l) I(1))
//   I(g) = integral over v from 0 to 1 of g(v) prod_{m not j, l} (1 - f_m v)
//
// with f_m = 1 for labels known to be there and 0 for those known to be absent. Where nothing else
// is likely to be there the odds of l are halved; where much is, they hardly change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spml {

class NamedLabel {
 public:
  // Probabilities (L) of a row's labels become those given that one of its known positives was
  // named at random. Of labels that are known, what would be said of them if they were not.
  void condition(std::span<const int8_t> known, std::span<float> probabilities);

 private:
  std::vector<double> f_, product_;
};

}  // namespace spml
