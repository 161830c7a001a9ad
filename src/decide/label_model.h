// The few numbers that turn logits into label probabilities, and how well they explain the labels.
//
//   logit of label j in row i = a + c log(frequency_j) + d_j + exp(b + e_j) z_ij
//
// a and b are free, c, d and e are held near 0 by normal priors: rare labels borrow from the
// others.
#pragma once

#include "decide/calibration.h"
#include "decide/label_fit_input.h"
#include "decide/observation.h"

namespace spml {

class LabelModel {
 public:
  // The input's views must outlive the model. Large inputs are thinned to a bounded number of rows.
  explicit LabelModel(const LabelFitInput& input);

  // A belief about log k, beside what the labels say.
  struct Belief {
    double centre = 0, deviation = 1;
  };

  // Minus the log posterior, with its gradient; `beliefs` about log k are part of it.
  double objective(std::span<const double> parameters, std::span<const Belief> beliefs,
                   std::span<double> gradient) const;

  // Parameters at which rows have about k labels.
  std::vector<double> start(double k) const;
  Calibration curves(std::span<const double> parameters) const;

  // What follows from parameters, over the rows used.
  struct Summary {
    double k = 0;
    double log_likelihood = 0;              // mean over rows
    std::vector<double> present, observed;  // (L) mean probability of being there, of being named
    std::vector<double> likeliest;          // (rows) the highest chance of any label to be named
  };
  Summary summary(std::span<const double> parameters) const;
  // P(label there) of one label in every row used, and its logits.
  struct Column {
    std::vector<double> logits, present;
  };
  std::vector<Column> columns(std::span<const double> parameters) const;

  size_t complete_rows() const { return complete_; }
  size_t partial_rows() const { return rows_.size() - complete_; }
  // The mean number of labels of complete rows and its standard error.
  Belief count_of_complete_rows() const;
  bool never_empty() const { return never_empty_; }
  // The mean log likelihood of the rows' labels if they were named by their frequencies, whatever
  // the scores are. Of rows with one positive at least.
  double log_likelihood_by_frequency() const;

 private:
  struct Sums;
  void row_logits(size_t row, const Calibration& curve, std::span<double> out) const;
  double add_row(size_t row, RowObservation& model, std::span<const double> logits,
                 std::span<double> gradient) const;
  Sums sum_over_rows(const Calibration& curve) const;
  bool is_complete(size_t row) const;

  LabelFitInput input_;
  std::vector<size_t> rows_;  // that say something, thinned
  std::vector<double> log_frequency_;
  size_t complete_ = 0;
  bool never_empty_ = true;
  bool own_slopes_ = false;  // whether labels have e_j: only where there are complete rows
  double first_slope_ = 0;   // centre of b
};

}  // namespace spml
