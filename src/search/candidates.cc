#include "search/candidates.h"

#include <algorithm>

#include "fit/short_runs.h"

namespace spml {
namespace {

constexpr size_t kBatch = 16;

struct LossChoice {
  const char* loss;
  LossParameters params;
};

// an, wan and epr first: whatever else is tried, the choice is never worse than the best of them as
// far as validation can tell.
const std::vector<LossChoice>& loss_choices() {
  static const std::vector<LossChoice> choices = {{"an", {}},
                                                  {"wan", {}},
                                                  {"epr", {}},
                                                  {"em", {{"alpha", 0.1}}},
                                                  {"gr", {}},
                                                  {"role", {}},
                                                  {"role+em", {{"alpha", 0.1}}},
                                                  {"ridge", {}}};
  return choices;
}

}  // namespace

std::vector<TrainConfig> screening_candidates(const TrainConfig& base, size_t train_rows) {
  const size_t batch = std::max<size_t>(1, std::min(kBatch, train_rows));
  std::vector<TrainConfig> list;
  const auto add = [&](const LossChoice& choice, TransformKind transform, double lr) {
    TrainConfig config = base;
    config.loss = choice.loss;
    config.params = choice.params;
    config.transform = transform;
    config.batch = batch;
    config.lr = step_size_for(lr, train_rows, batch);
    list.push_back(std::move(config));
  };
  for (const TransformKind transform :
       {TransformKind::kSqrt, TransformKind::kStandardize, TransformKind::kNone}) {
    for (const LossChoice& choice : loss_choices()) add(choice, transform, 1e-3);
  }
  return list;
}

}  // namespace spml
