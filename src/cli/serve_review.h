// Serving a review until Ctrl-C, for `spml review` and `spml demo --review`.
#pragma once

#include "cli/review_flags.h"
#include "review/review.h"

namespace spml::cli {

void serve_review(review::ReviewOptions options, const ServeFlags& flags, const Common& common);

}  // namespace spml::cli
