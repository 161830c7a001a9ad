#include "fit/folds.h"

#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"
#include "data/split.h"
#include "fit/average.h"
#include "fit/train.h"

namespace spml {
namespace {

constexpr size_t kMostFolds = 5;
constexpr size_t kEnoughComplete = 500;  // a part of them tells enough

}  // namespace

std::vector<Split> folds_holding_out(const Dataset& data, const TrainConfig& config,
                                     size_t wanted) {
  const size_t rows = data.train_file.rows();
  const Split first = split_rows(rows, config.val_fraction, config.split_seed);
  const size_t held_out = std::max<size_t>(first.val.size(), 1);
  const size_t count = std::min(kMostFolds, (wanted + held_out - 1) / held_out);
  return split_folds(rows, config.val_fraction, config.split_seed, count);
}

size_t rows_with_complete_ones(const Dataset& data, size_t wanted) {
  const LabelMatrix& observed = data.train_file.observed;
  if (observed.empty()) return wanted;
  std::vector<int8_t> row(observed.cols());
  size_t complete = 0;
  for (size_t i = 0; i < observed.rows() && complete < kEnoughComplete; ++i) {
    observed.read_row(i, row);
    complete += std::ranges::find(row, int8_t{0}) == row.end();
  }
  return complete > 0 && complete < kEnoughComplete ? observed.rows() : wanted;
}

bool may_be_folded(const Session& session) {
  const TrainConfig& config = session.config;
  const Prepared& prepared = session.prepared;
  if (config.mode != Mode::kLinear || config.refit) return false;
  if (prepared.select == Select::kClean || !prepared.complete_val.empty()) return false;
  const size_t rows = session.data.train_file.rows();
  return split_rows(rows, config.val_fraction, config.split_seed).val == prepared.split.val;
}

std::vector<std::unique_ptr<Session>> train_other_folds(const Session& session, size_t wanted,
                                                        const RunEvents& events) {
  const auto folds = folds_holding_out(session.data, session.config, wanted);
  std::vector<std::unique_ptr<Session>> sessions(folds.size() - 1);
  const LoopEvents stoppable =
      until(events.stop_requested, "stopped before it was calibrated; continue with --resume");
  if (events.notice && !sessions.empty()) {
    events.notice(fmt::format("few rows are held out: training {} more classifiers to calibrate by",
                              sessions.size()));
  }
  parallel_for(sessions.size(), session.threads, [&](size_t i) {
    sessions[i] = std::make_unique<Session>(session.data, session.config, 1, std::nullopt,
                                            ImageModelMaker(), &folds[i + 1]);
    train(*sessions[i], stoppable);
    average_classifiers(*sessions[i], events, &folds[i + 1]);
  });
  return sessions;
}

}  // namespace spml
