// The few numbers that turn logits into label probabilities, and how well they explain the labels.
//
//   logit of label j in row i = a + c log(frequency_j) + d_j + exp(b + e_j) z_ij
//
// a and b are free, c, d and e are held near 0 by normal priors: rare labels borrow from the
// others. Annotators name each label of a row with the same chance or, with a Preference, in
// proportion to
//
//   weight of label j in row i = exp(g logit_ij + h_j)
//
// where g makes them name what is most evident and h what they like (naming.h).
#pragma once

#include "decide/calibration.h"
#include "decide/label_fit_input.h"
#include "decide/naming.h"
#include "decide/observation.h"

namespace spml {

// What is believed of annotators who need not name at random: normal priors of g and of each h.
struct Preference {
  double prominence = 0, prominence_deviation = 0;
  double class_deviation = 0;  // 0: no preference for labels, whatever the row
  // Rows with unknown labels count together as so many for each complete row, at most; 0: each
  // counts as one.
  double rows_for_each_complete = 0;
};

class LabelModel {
 public:
  // The input's views must outlive the model. Large inputs are thinned to a bounded number of rows.
  explicit LabelModel(const LabelFitInput& input, std::optional<Preference> preference = {});

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
  double prominence(std::span<const double> parameters) const;  // g
  // The mean number of labels of complete rows and its standard error.
  Belief count_of_complete_rows() const;
  bool never_empty() const { return never_empty_; }
  // The mean log likelihood of the rows' labels if they were named by their frequencies, whatever
  // the scores are. Of rows with one positive at least.
  double log_likelihood_by_frequency() const;

 private:
  struct Sums;
  struct Taste;  // g and h
  struct Row;    // one row at a time
  void row_logits(size_t row, const Calibration& curve, std::span<double> out) const;
  double add_row(size_t row, const Taste& taste, Row& at) const;
  double add_named(std::span<const int8_t> labels, const Taste& taste, Row& at) const;
  Sums sum_over_rows(const Calibration& curve, const Taste& taste) const;
  Taste taste(std::span<const double> parameters) const;
  size_t first_of_taste() const;
  void observed_probabilities(const Taste& taste, Row& at, std::span<double> out) const;
  bool is_complete(size_t row) const;

  LabelFitInput input_;
  std::optional<Preference> preference_;
  std::vector<size_t> rows_;  // that say something, thinned
  std::vector<double> log_frequency_;
  size_t complete_ = 0;
  bool never_empty_ = true;
  double partial_weight_ = 1;  // of rows with unknown labels
  bool own_slopes_ = false;    // whether labels have e_j: only where there are complete rows
  double first_slope_ = 0;     // centre of b
};

}  // namespace spml
