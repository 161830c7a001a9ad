#include "fit/observed_k.h"

#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"
#include "fit/decisions.h"
#include "fit/folds.h"
#include "fit/short_runs.h"
#include "fit/train.h"

namespace spml {
namespace {

// Losses that leave unknown labels almost alone: their scores say how likely a label is there, not
// how likely it is to be named.
std::vector<TrainConfig> candidates(const TrainConfig& config, size_t train_rows) {
  const size_t batch = std::max<size_t>(1, std::min(config.batch, train_rows));
  std::vector<TrainConfig> list;
  for (const char* loss : {"em", "gr"}) {
    for (const TransformKind transform :
         {TransformKind::kNone, TransformKind::kSqrt, TransformKind::kStandardize}) {
      TrainConfig candidate;
      candidate.loss = loss;
      if (candidate.loss == "em") candidate.params["alpha"] = 0.1;
      candidate.transform = transform;
      candidate.lr = step_size_for(1e-3, train_rows, batch);
      candidate.epochs = screening_epochs(train_rows, batch);
      candidate.batch = batch;
      candidate.seed = config.seed;
      candidate.observe = config.observe;
      candidate.select = Select::kObserved;
      candidate.val_fraction = config.val_fraction;
      candidate.split_seed = config.split_seed;
      candidate.subsample = config.subsample;
      list.push_back(std::move(candidate));
    }
  }
  return list;
}

// The settings trained on each of the splits.
std::vector<std::unique_ptr<Session>> train_on(const Dataset& data, const TrainConfig& config,
                                               std::span<const Split> splits, int threads,
                                               const LoopEvents& events) {
  std::vector<std::unique_ptr<Session>> sessions(splits.size());
  parallel_for(splits.size(), threads, [&](size_t i) {
    sessions[i] =
        std::make_unique<Session>(data, config, 1, std::nullopt, ImageModelMaker(), &splits[i]);
    train(*sessions[i], events);
  });
  return sessions;
}

}  // namespace

LabelFit estimate_k_from_observed(const Dataset& data, const TrainConfig& config, int threads,
                                  const std::function<bool()>& stop_requested) {
  const LoopEvents events = until(stop_requested, "stopped while k was estimated; start again");
  const auto few = folds_holding_out(data, config, kFewRows);
  const std::vector<TrainConfig> list = candidates(config, few.front().train.size());
  std::vector<double> explained(list.size());
  parallel_for(list.size(), threads, [&](size_t i) {
    explained[i] =
        fit_validation(train_on(data, list[i], few, 1, events), false, 1, events).log_likelihood;
  });
  const auto best = std::ranges::max_element(explained) - explained.begin();
  const auto enough = folds_holding_out(data, config, rows_with_complete_ones(data, kEnoughRows));
  const auto sessions = train_on(data, list[static_cast<size_t>(best)], enough, threads, events);
  return fit_validation(sessions, true, threads, events);
}

std::string k_text(const LabelFit& fit) {
  std::string text = fmt::format("k = {:.2f} ({:.2f} to {:.2f})", fit.k, fit.k_low, fit.k_high);
  if (fit.complete_rows > 0) {
    text += fmt::format(", with {} complete rows", fit.complete_rows);
  } else if (!fit.k_is_certain) {
    text +=
        "; warning: that is for labels named at random, and the interval for annotators who prefer "
        "what is evident or what is not, because one label of a row cannot tell these apart; fifty "
        "complete rows would, or give --k if you know better";
  }
  return text;
}

bool needs_estimated_k(const Dataset& data, const TrainConfig& config) {
  return loss_info(config).needs_k && !resolve_k(data, config) && !data.train_file.features.empty();
}

TrainConfig with_estimated_k(const Dataset& data, const TrainConfig& config, int threads,
                             const RunEvents& events) {
  const LabelFit fit = estimate_k_from_observed(data, config, threads, events.stop_requested);
  if (events.notice) {
    events.notice("labels of a row, estimated from the observed labels: " + k_text(fit));
  }
  TrainConfig result = config;
  result.k = fit.k;
  result.k_is_estimated = true;
  return result;
}

}  // namespace spml
