#include "fit/average.h"

#include "base/fail.h"
#include "base/parallel.h"
#include "fit/closed_form.h"
#include "fit/train.h"
#include "linear/linear_model.h"
#include "train/finite_scores.h"

namespace spml {
namespace {

// Far from the seeds that people count up.
constexpr uint64_t kSeedStride = 1'000'003;

void average_over_seeds(Session& session, size_t count, const LoopEvents& events,
                        const Split* rows) {
  std::vector<std::unique_ptr<LinearModel>> others(count - 1);
  // Side by side; but one after the other where each is shared by all processes.
  const bool rows_apart = session.share != nullptr;
  Cluster* const cluster = rows_apart ? session.row_part.cluster : session.part.cluster;
  parallel_for(others.size(), cluster == nullptr ? session.threads : 1, [&](size_t i) {
    TrainConfig config = session.config;
    config.seed += (i + 1) * kSeedStride;
    const int threads = cluster == nullptr ? 1 : session.threads;
    const auto other = rows_apart ? std::make_unique<Session>(*session.share, config, threads)
                                  : std::make_unique<Session>(session.data, config, threads,
                                                              std::optional<LinearStart>(),
                                                              ImageModelMaker(), rows, cluster);
    train(*other, events);
    others[i] = other->take_linear_model();
  });
  auto& model = dynamic_cast<LinearModel&>(*session.model);
  std::vector<float> weight = model.weight();
  std::vector<float> bias(model.bias().begin(), model.bias().end());
  const auto add = [&](std::vector<float>& sum, const auto& values) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  };
  for (const auto& other : others) {
    add(weight, other->weight());
    add(bias, other->bias());
  }
  for (float& value : weight) value /= static_cast<float>(count);
  for (float& value : bias) value /= static_cast<float>(count);
  model.set_weights(weight, bias);
}

}  // namespace

double average_classifiers(Session& session, const RunEvents& events, const Split* rows) {
  const TrainConfig& config = session.config;
  if (config.average <= 1 && !config.blend_ridge) return session.loop.state().best_val_map;
  const LoopEvents stoppable =
      until(events.stop_requested,
            "stopped before the last of the classifiers to average; continue with --resume");
  if (config.average > 1) {
    average_over_seeds(session, static_cast<size_t>(config.average), stoppable, rows);
  }
  if (config.blend_ridge) blend_with_solution(session, stoppable);
  const Evaluation validation = session.validation.evaluate(*session.model);
  expect_finite(validation, "the mean of several classifiers");
  return validation.map.map;
}

}  // namespace spml
