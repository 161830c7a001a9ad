#include "review/store/review_folder.h"

#include "base/fail.h"

namespace spml::review {

void check_same_data(const Subject& subject, const Dataset& data) {
  const std::string found = fingerprint(data);
  if (subject.fingerprint == found) return;
  fail(
      "{}: expected the data that the review began with ({}, fingerprint {}), found {}; put it "
      "back, or begin another review with another --out",
      data.folder.string(), subject.name, subject.fingerprint, found);
}

LabelMatrix open_observed(const Path& review, const Subject& subject) {
  LabelMatrix observed = open_labels(observed_copy(review));
  if (observed.rows() != subject.rows || observed.cols() != subject.classes.size()) {
    fail("{}: expected {} x {} labels, found {} x {}", observed_copy(review).string(), subject.rows,
         subject.classes.size(), observed.rows(), observed.cols());
  }
  check_observed(observed, 1);
  return observed;
}

}  // namespace spml::review
