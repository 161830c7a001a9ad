// The files of a review's folder.
#pragma once

#include "data/dataset.h"
#include "review/store/store.h"

namespace spml::review {

inline Path database_file(const Path& review) { return review / "review.db"; }
inline Path observed_copy(const Path& review) { return review / "observed.npy"; }
inline Path session_file(const Path& review) { return review / "session.json"; }

// Error when the data is not the one that the review began with.
void check_same_data(const Subject& subject, const Dataset& data);

// The labels that a review began with, checked; they are kept in its folder.
LabelMatrix open_observed(const Path& review, const Subject& subject);

}  // namespace spml::review
