#include "experiment/checkpoint.h"

#include "base/fail.h"
#include "experiment/config_words.h"
#include "experiment/record_fields.h"
#include "formats/json_fields.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

// Where the loop stands, in the metadata beside the tensors.
struct CheckpointRecord {
  RunIdentity identity;
  LoopState state;
};

template <class Fields>
void json_fields(Fields& field, CheckpointRecord& record) {
  field("config", record.identity);
  field("step", record.state.step);
  field("loss_sum", record.state.loss_sum);
  field("best_epoch", record.state.best_epoch);
  field("best_val_map", record.state.best_val_map);
  field("train_seconds", record.state.train_seconds);
  field("epoch_seconds", record.state.epoch_seconds);
  field("epochs", record.state.epochs);
}

CheckpointRecord read_record_of(const SafetensorsFile& file, const Path& path) try {
  const auto text = file.metadata().find("loop");
  if (text == file.metadata().end()) fail("{}: expected 'loop' in its metadata", path.string());
  return parse_record<CheckpointRecord>(text->second, path.string());
} catch (const Error& error) {
  fail("{}; it is not a checkpoint of this program: start again with --overwrite", error.what());
}

}  // namespace

void save_checkpoint(const Path& path, const RunIdentity& identity, const Trainee& trainee) {
  const auto& [state, model, estimator, memory] = trainee;
  SafetensorsWriter writer;
  model.save_state(writer);
  if (estimator != nullptr) estimator->save_state(writer);
  if (memory != nullptr) memory->save_state(writer);
  writer.add_metadata("loop", record_text(CheckpointRecord{identity, state}));
  writer.write(path);
}

void load_checkpoint(const Path& path, const RunIdentity& identity, const Trainee& trainee) {
  const auto& [state, model, estimator, memory] = trainee;
  const SafetensorsFile file(path);
  CheckpointRecord record = read_record_of(file, path);
  if (const auto difference = first_difference(record.identity, identity)) {
    fail("{}: it was made with {} {}, asked for is {}; give the same flags, or --overwrite",
         path.string(), difference->key, difference->earlier, difference->now);
  }
  state = std::move(record.state);
  model.load_state(file);
  if (estimator != nullptr) estimator->load_state(file, state.step);
  if (memory != nullptr) memory->load_state(file);
}

}  // namespace spml
