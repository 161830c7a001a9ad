#include "experiment/result.h"

namespace spml {
namespace {

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Json to_json(const RunResult& result) {
  Json json;
  json["loss"] = result.config.loss;
  json["mode"] = to_string(result.config.mode);
  json["lr"] = result.config.learning_rate();
  json["batch"] = result.config.batch;
  json["epochs"] = result.config.epoch_count();
  json["seed"] = result.config.seed;
  json["k"] = optional(result.k);
  json["params"] = Json::object();
  for (const auto& [name, value] : result.params) json["params"][name] = value;
  json["best_epoch"] = result.best_epoch;
  json["val_map"] = result.val_map;
  json["test_map"] = optional(result.test_map);
  json["train_map"] = optional(result.train_map);
  json["test_map_nonempty"] = optional(result.test_map_nonempty);
  json["per_class_ap"] = result.per_class_ap;
  json["steps"] = result.steps;
  json["resumed_from_step"] = result.resumed_from_step;
  json["train_seconds"] = result.train_seconds;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace spml
