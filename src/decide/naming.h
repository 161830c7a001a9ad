// How likely it is that an annotator who prefers some labels to others names the one observed.
//
// The row has labels with probabilities f_j, independent of each other given the row; of those it
// has, each is named with a chance in proportion to its weight w_j:
//
//   P(observed = j) = f_j w_j integral_0^inf exp(-w_j s) product_{l != j} (1 - f_l + f_l exp(-w_l
//   s)) ds
//
// which is a race: label l comes to mind after a time that is exponential with rate w_l, and the
// first of those that are there is named. Equal weights make it the random naming of observation.h.
// Known negatives have f = 0. The chance that a row has no label at all is left to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spml {

class RowNaming {
 public:
  // (L) logits and logarithms of weights; weights below exp(-10) of the largest count as that.
  void set(std::span<const double> logits, std::span<const double> log_weights,
           std::span<const int8_t> labels);

  // log P(observed = label); adds scale * its gradients by the logits (weights held) and by the
  // logarithms of the weights.
  double log_likelihood(size_t label, double scale, std::span<double> by_logit,
                        std::span<double> by_log_weight);
  // P(observed = label), for every label.
  void observed_probabilities(std::span<double> out) const;

 private:
  size_t labels() const { return f_.size(); }
  // f_, w_ (L); late_ (L, nodes): exp(-w s); absent_ (L, nodes): 1 - f + f exp(-w s).
  std::vector<double> f_, w_, late_, absent_;
  std::vector<double> nobody_;  // (nodes): product of absent_, as a logarithm
  std::vector<double> share_;   // (nodes): scratch
};

}  // namespace spml
