// What held-out rows say about labels: probabilities, how many labels a row has, how common each
// is.
//
// Rows need not be fully labelled. A row with one observed positive counts through the chance that
// an annotator who names a random one of its labels names that one (observation.h); a row with all
// its labels counts through each of them. The two kinds may be mixed, and known negatives help.
//
// How many labels a row has cannot be told from single positives without assumptions. Those made
// here: given the classifier's score, labels of a row are independent, every curve from score to
// probability is a logistic one, alike in slope, and annotators name a random label. The last is
// rarely true: the interval of k covers annotators who prefer what is evident or what is not, as
// far as that explains the labels about as well. A few complete rows show what they prefer, and
// then preferences, k and curves are fitted together. Where scores say little, k is told by bounds
// alone, where they say nothing by what is usual, and `k_is_certain` is false.
#pragma once

#include "decide/calibration.h"
#include "decide/label_fit_input.h"

namespace spml {

struct LabelFit {
  Calibration calibration;
  double k = 0;                  // expected labels of a row
  double k_low = 0, k_high = 0;  // of at least 90 %, whatever annotators prefer
  bool k_is_certain = false;     // of the interval, too: whether it is narrow
  std::vector<double> priors;    // (L), sum k
  double prominence = 0;         // how much annotators prefer what is evident, where it shows
  // Other curves, of annotators who prefer what is evident or what is not, where that explains the
  // labels about as well. None where complete rows show what they prefer.
  std::vector<Calibration> alternatives;
  double log_likelihood = 0;  // mean over rows: how well the scores explain the labels
  size_t complete_rows = 0, partial_rows = 0;  // used
};

// Error when no row has a label.
LabelFit fit_labels(const LabelFitInput& input);

}  // namespace spml
