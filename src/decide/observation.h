// How likely it is that an annotator who names one label of a row at random names the one observed.
//
// The row has labels with probabilities f_j = sigmoid(z_j), independent of each other given the
// row, and, if `never_empty`, at least one of them. Of those it has, each is named with the same
// chance:
//
//   P(observed = j) = f_j E[ 1 / (1 + number of the other labels) ] / P(some label)
//                   = f_j integral_0^1 product_{l != j} (1 - f_l u) du / (1 - product_l (1 - f_l))
//
// This is where the number of labels of a row leaves its trace in rows of which one is known: where
// two labels are both certain, each is observed half of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spml {

// Probabilities of one row's labels, and what follows from them. Labels known to be absent take no
// part.
class RowObservation {
 public:
  explicit RowObservation(bool never_empty) : never_empty_(never_empty) {}

  // (L) logits; `labels` (L) may be empty: -1 is a known negative. Without `is_observed`, chances
  // of being named cannot be asked for, and it takes less time.
  void set(std::span<const double> logits, std::span<const int8_t> labels, bool is_observed = true);

  // log P(observed = label); adds weight * its gradient by the logits.
  double log_likelihood(size_t label, double weight, std::span<double> gradient);
  // The mean of that over the labels that are known to be there (labels > 0), of which there is at
  // least one; adds its gradient.
  double mean_log_likelihood(std::span<const int8_t> labels, std::span<double> gradient);
  // log P(no label at all), for data in which rows may be empty; adds its gradient.
  double log_empty(double weight, std::span<double> gradient) const;
  // log P(some label), 0 where rows may be empty; adds its gradient.
  double log_some(double weight, std::span<double> gradient) const;
  // P(observed = j) for every j.
  void observed_probabilities(std::span<double> out) const;
  // P(label j present), given that the row is not empty if it never is.
  double present(size_t label) const { return f_[label] / some_; }
  // The expected number of labels; adds weight * its gradient.
  double expected(double weight, std::span<double> gradient) const;

 private:
  // Fills share_ for an observed label and returns the integral.
  double set_share(size_t label);

  bool never_empty_;
  std::vector<double> f_;         // (L)
  std::vector<double> products_;  // (nodes): weight of the node * product of (1 - f u)
  std::vector<double> share_;     // (nodes): scratch
  std::vector<double> together_;  // (nodes): scratch
  double sum_ = 0;                // of f
  double empty_ = 1;              // product of (1 - f)
  double some_ = 1;               // 1 - empty_ if never empty, else 1
};

}  // namespace spml
