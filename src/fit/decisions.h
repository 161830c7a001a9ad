// What a run needs to say yes or no: calibrated probabilities and a threshold per label, learnt on
// its validation rows. calibration.json and thresholds.npy of a run folder.
#pragma once

#include <memory>
#include <span>

#include "base/files.h"
#include "decide/label_fit.h"
#include "decide/quality.h"
#include "fit/run_events.h"
#include "fit/session.h"

namespace spml {

// Which labels something was learnt from: full ones, if only of some rows, or observed ones alone.
enum class LabelSource { kClean, kObserved };
std::string_view to_string(LabelSource source);
LabelSource label_source_from(std::string_view name);  // Error naming the choices

struct Decisions {
  Calibration calibration;
  std::vector<float> thresholds;  // (L), of calibrated probabilities
  LabelSource from = LabelSource::kObserved;
  ExpectedQuality quality;  // of what is decided
};

// What the validation rows of trained sessions tell, those of all taken together. The sessions are
// of the same settings and hold out different rows.
LabelFit fit_validation(std::span<const std::unique_ptr<Session>> sessions, bool want_interval,
                        int threads, const LoopEvents& events = {});

// From the session's model as it is now. Where few rows are held out and only observed labels are
// known of them, the settings are trained on other folds, too.
Decisions decide(Session& session, const RunEvents& events = {});

// How far its probabilities are from the truth of the test rows; nothing without that.
std::optional<Reliability> test_reliability(Session& session, const Calibration& calibration);

// How well the session's model ranks the validation rows that a label was observed in: comparable
// between models where only observed labels can be compared (see decide/selection.h).
double observed_criterion(Session& session, double k);

void write_calibration(const Path& file, const Calibration& calibration);
// Error unless the file has rising curves for so many labels.
Calibration read_calibration(const Path& file, size_t labels);

}  // namespace spml
