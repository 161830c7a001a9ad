// More held-out rows than the validation part has, where that is small: the same settings trained
// on several splits, each of which holds out other rows. A few hundred observed labels choose
// between classifiers, and tell k and probabilities, hardly better than chance.
#pragma once

#include <memory>

#include "fit/run_events.h"
#include "fit/session.h"

namespace spml {

// Splits of the training file that together hold out about `wanted` rows, five at most. The first
// is that of the configuration.
std::vector<Split> folds_holding_out(const Dataset& data, const TrainConfig& config, size_t wanted);

// Rows that are needed to tell classifiers apart roughly, and well.
inline constexpr size_t kFewRows = 500, kEnoughRows = 2000;

// `wanted`, or all rows where some are complete and too few of these would be among them: what they
// say of annotators is worth more than what any other row does.
size_t rows_with_complete_ones(const Dataset& data, size_t wanted);

// Whether a trained session's probabilities are better told by other folds, too: it is linear, its
// rows are those of its configuration, and no full labels are known of its validation rows.
bool may_be_folded(const Session& session);

// The session's settings trained on all folds but the first.
std::vector<std::unique_ptr<Session>> train_other_folds(const Session& session, size_t wanted,
                                                        const RunEvents& events = {});

}  // namespace spml
