#include "experiment/observed_k.h"

#include "base/fail.h"
#include "base/parallel.h"
#include "experiment/decisions.h"

namespace spml {
namespace {

constexpr int kEpochs = 8;

// Losses that leave unknown labels almost alone: their scores say how likely a label is there, not
// how likely it is to be named.
std::vector<TrainConfig> candidates(const TrainConfig& config) {
  std::vector<TrainConfig> list;
  for (const char* loss : {"em", "gr"}) {
    for (const TransformKind transform :
         {TransformKind::kNone, TransformKind::kSqrt, TransformKind::kStandardize}) {
      TrainConfig candidate;
      candidate.loss = loss;
      if (candidate.loss == "em") candidate.params["alpha"] = 0.1;
      candidate.transform = transform;
      candidate.lr = 1e-3;
      candidate.epochs = kEpochs;
      candidate.batch = config.batch;
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

}  // namespace

LabelFit estimate_k_from_observed(const Dataset& data, const TrainConfig& config, int threads) {
  const std::vector<TrainConfig> list = candidates(config);
  std::vector<std::unique_ptr<Session>> sessions(list.size());
  std::vector<double> explained(list.size());
  parallel_for(list.size(), threads, [&](size_t i) {
    sessions[i] = std::make_unique<Session>(data, list[i], 1);
    sessions[i]->loop.run({});
    explained[i] = fit_validation(*sessions[i], false).log_likelihood;
  });
  size_t best = 0;
  for (size_t i = 1; i < list.size(); ++i) {
    if (explained[i] > explained[best]) best = i;
  }
  return fit_validation(*sessions[best], true);
}

std::string k_text(const LabelFit& fit) {
  std::string text = fmt::format("k = {:.2f} ({:.2f} to {:.2f})", fit.k, fit.k_low, fit.k_high);
  if (!fit.k_is_certain) {
    text +=
        "; warning: the observed labels hardly tell it; label some rows in full, or give --k if "
        "you know better";
  }
  return text;
}

TrainConfig with_estimated_k(const Dataset& data, const TrainConfig& config, int threads,
                             const std::function<void(const std::string& text)>& notice) {
  const bool needed = loss_info(config).needs_k;
  if (!needed || resolve_k(data, config) || data.train_file.features.empty()) return config;
  const LabelFit fit = estimate_k_from_observed(data, config, threads);
  if (notice) notice("labels of a row, estimated from the observed labels: " + k_text(fit));
  TrainConfig result = config;
  result.k = fit.k;
  result.k_is_estimated = true;
  return result;
}

}  // namespace spml
