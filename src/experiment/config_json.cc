#include <fmt/core.h>

#include "experiment/config.h"

namespace spml {
namespace {

// Files count by their contents, not by where they are.
void add_image_config(const ImageConfig& image, Json& json) {
  json["weights-sha256"] = image.weights_sha256;
  json["size"] = image.size;
  json["accumulate"] = image.accumulate;
  json["head-lr-factor"] = image.head_lr_factor;
  json["freeze-bn"] = image.freeze_bn;
  json["device"] = image.device;
  if (!image.init.empty()) json["init"] = image.init;
}

}  // namespace

Json to_json(const TrainConfig& config) {
  Json json;
  json["loss"] = config.loss;
  json["param"] = Json::object();
  for (const auto& [name, value] : config.params) json["param"][name] = value;
  if (find_loss(config.loss).uses_estimates) {
    const EstimatorChoice& estimator = config.estimator;
    json["estimator"] = to_string(estimator.kind);
    if (estimator.kind == EstimatorKind::kFactored) json["rank"] = estimator.rank;
    if (estimator.kind == EstimatorKind::kNetwork) json["hidden"] = estimator.hidden;
  }
  json["mode"] = to_string(config.mode);
  json["lr"] = config.learning_rate();
  json["batch"] = config.batch;
  json["epochs"] = config.epoch_count();
  json["seed"] = config.seed;
  if (config.k) json["k"] = *config.k;
  if (config.observe) {
    json["observe"] = fmt::format("pos={},neg={},seed={}", config.observe->num_pos,
                                  config.observe->num_neg, config.observe->seed);
  }
  json["select"] = to_string(config.select);
  json["val-fraction"] = config.val_fraction;
  json["split-seed"] = config.split_seed;
  json["subsample"] = config.subsample;
  json["transform"] = to_string(config.transform);
  json["weight-decay"] = config.weight_decay;
  json["patience"] = config.patience;
  if (config.record_unobserved_positives) json["record"] = "unobserved-positives";
  if (config.mode != Mode::kLinear) add_image_config(config.image, json);
  return json;
}

}  // namespace spml
