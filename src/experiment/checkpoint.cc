#include "experiment/checkpoint.h"

#include "base/fail.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

EpochRecord epoch_from(const Json& json) {
  EpochRecord record;
  record.epoch = json.at("epoch");
  record.train_loss = json.at("train_loss");
  record.val_map = json.at("val_map");
  record.khat = json.at("khat");
  if (!json.at("khat_estimates").is_null()) record.khat_estimates = json.at("khat_estimates");
  record.seconds = json.at("seconds");
  if (json.contains("unobserved_positives")) {
    record.unobserved_positives = json["unobserved_positives"].get<std::vector<uint32_t>>();
  }
  return record;
}

}  // namespace

Json to_json(const EpochRecord& record) {
  Json json;
  json["epoch"] = record.epoch;
  json["train_loss"] = record.train_loss;
  json["val_map"] = record.val_map;
  json["khat"] = record.khat;
  json["khat_estimates"] = record.khat_estimates ? Json(*record.khat_estimates) : Json();
  json["seconds"] = record.seconds;
  if (!record.unobserved_positives.empty()) {
    json["unobserved_positives"] = record.unobserved_positives;
  }
  return json;
}

void save_checkpoint(const Path& path, const Json& config, const Trainee& trainee) {
  const auto& [state, model, estimator, memory] = trainee;
  SafetensorsWriter writer;
  model.save_state(writer);
  if (estimator != nullptr) estimator->save_state(writer);
  if (memory != nullptr) memory->save_state(writer);
  Json json;
  json["config"] = config;
  json["step"] = state.step;
  json["loss_sum"] = state.loss_sum;
  json["best_epoch"] = state.best_epoch;
  json["best_val_map"] = state.best_val_map;
  json["train_seconds"] = state.train_seconds;
  json["epoch_seconds"] = state.epoch_seconds;
  json["epochs"] = Json::array();
  for (const EpochRecord& record : state.epochs) json["epochs"].push_back(to_json(record));
  writer.add_metadata("loop", json.dump());
  writer.write(path);
}

void load_checkpoint(const Path& path, const Json& config, const Trainee& trainee) try {
  const auto& [state, model, estimator, memory] = trainee;
  const SafetensorsFile file(path);
  const Json json = Json::parse(file.metadata().at("loop"));
  if (json.at("config") != config) {
    fail("{}: it was made with another configuration; give the same flags, or --overwrite",
         path.string());
  }
  model.load_state(file);
  state.step = json.at("step");
  state.loss_sum = json.at("loss_sum");
  state.best_epoch = json.at("best_epoch");
  state.best_val_map = json.at("best_val_map");
  state.train_seconds = json.at("train_seconds");
  state.epoch_seconds = json.at("epoch_seconds");
  state.epochs.clear();
  for (const Json& record : json.at("epochs")) state.epochs.push_back(epoch_from(record));
  if (estimator != nullptr) estimator->load_state(file, state.step);
  if (memory != nullptr) memory->load_state(file);
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {  // a missing or mistyped key
  fail("{}: not a checkpoint of this program ({}); start again with --overwrite", path.string(),
       error.what());
}

}  // namespace spml
