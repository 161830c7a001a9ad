// How the review is going: precision, labels found, pace.
#pragma once

#include <vector>

#include "review/bounds.h"
#include "review/store/store.h"

namespace spml::review {

struct Precision {
  size_t yes = 0, no = 0, unsure = 0;
  Interval interval;  // of yes / (yes + no)
};

struct Progress {
  Precision all;
  std::vector<Precision> classes;
  // Points (answers, labels found so far), at most a few hundred of them.
  std::vector<std::pair<size_t, size_t>> found;
  double per_minute = 0;  // answers, pauses left out
};

// Computed from the latest answer of every entry, in the order given. Random samples say nothing
// about how good the suggestions are, so they count towards neither the precision nor the curve.
Progress measure_progress(const std::vector<AnswerRecord>& answers, size_t labels);

}  // namespace spml::review
