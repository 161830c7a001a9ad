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
  // The mean over all labels known to be there, as if each had been named, with its gradients, in a
  // time that is linear in the labels.
  double mean_log_likelihood(std::span<const int8_t> labels, std::span<double> by_logit,
                             std::span<double> by_log_weight);
  // P(observed = label), for every label.
  void observed_probabilities(std::span<double> out) const;

 private:
  size_t labels() const { return f_.size(); }
  // Sets share_ to how much of P(observed = label) each node contributes; returns the logarithm of
  // that chance. mean_s_ becomes the mean time at which the label comes to mind.
  double set_share(size_t label);
  // Gradients by label l of the chances that others are named, for the shares in share_.
  void add_slopes_of_others(size_t l, double scale, std::span<double> by_logit,
                            std::span<double> by_log_weight) const;
  // f_, w_ (L); late_ (L, nodes): exp(-w s); absent_ (L, nodes): 1 - f + f exp(-w s).
  std::vector<double> f_, w_, late_, absent_;
  std::vector<double> nobody_;            // (nodes): product of absent_
  std::vector<double> share_, together_;  // (nodes): scratch
  double mean_s_ = 0;
};

}  // namespace spml
