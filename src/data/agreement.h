// k from rows that two annotators named independently: where each names a random one of a row's
// labels, they agree with the probability E[1 / number of labels], whatever a classifier says.
#pragma once

#include "data/dataset.h"

namespace spml {

struct AgreementK {
  size_t rows = 0, agreements = 0;      // rows with one label from each
  double k = 0, k_low = 0, k_high = 0;  // with the 90 % interval of the share of agreements
};

// Counts rows in which both have exactly one positive. The number of further labels of a row is
// taken as Poisson, which turns E[1 / labels] into E[labels]. Annotators with the same preferences
// agree more often, so that k is then too low. Error where the shapes differ or no row has one
// label from each.
AgreementK agreement_k(const LabelMatrix& first, const LabelMatrix& second);

}  // namespace spml
