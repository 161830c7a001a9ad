#include "experiment/checkpoint.h"

#include <algorithm>
#include <cstring>

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

template <class T>
void read_exactly(const SafetensorsFile& file, std::string_view name, std::span<T> out) {
  const auto bytes = file.tensor(name).bytes;
  if (bytes.size() != out.size_bytes()) {
    fail("{}: expected {} bytes in '{}', found {}; start again with --overwrite",
         file.path().string(), out.size_bytes(), name, bytes.size());
  }
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
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
  if (estimator != nullptr) {
    const auto table = estimator->state();
    writer.add("estimator.values", {table.values.size()}, table.values);
    writer.add("estimator.last_steps", "I32", {table.last_steps.size()},
               std::as_bytes(table.last_steps));
  }
  if (memory != nullptr) memory->save_state(writer);
  writer.add("loop.best_estimates", {state.best_estimates.size()}, state.best_estimates);
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
  if (estimator != nullptr) {
    const auto table = estimator->state();
    read_exactly(file, "estimator.values", table.values);
    read_exactly(file, "estimator.last_steps", table.last_steps);
    estimator->set_step(state.step);
    if (std::any_of(table.last_steps.begin(), table.last_steps.end(),
                    [&](uint32_t last) { return last > state.step; })) {
      fail("{}: a label estimate is ahead of step {}; start again with --overwrite", path.string(),
           state.step);
    }
    if (state.best_epoch > 0) state.best_estimates.resize(estimator->rows() * estimator->labels());
  }
  if (memory != nullptr) memory->load_state(file);
  read_exactly(file, "loop.best_estimates", std::span(state.best_estimates));
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {  // a missing or mistyped key
  fail("{}: not a checkpoint of this program ({}); start again with --overwrite", path.string(),
       error.what());
}

}  // namespace spml
