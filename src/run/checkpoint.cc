#include "run/checkpoint.h"

#include <optional>

#include "base/fail.h"
#include "base/folders.h"
#include "formats/json_fields.h"
#include "formats/safetensors.h"
#include "run/run_record_fields.h"
#include "settings/config_words.h"

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

SafetensorsFile open_checkpoint(const Path& path) try {
  return SafetensorsFile(path);
} catch (const Error& error) {
  fail("{}; the checkpoint is damaged: start again with --overwrite", error.what());
}

// The list of a checkpoint's files.
struct PartFile {
  std::string file;
  size_t first = 0, count = 0;  // labels
};
struct PartList {
  uint64_t step = 0;
  bool by_rows = false;  // each file has all labels, of its rank's rows
  std::vector<PartFile> parts;
};

template <class Fields>
void json_fields(Fields& field, PartFile& part) {
  field("file", part.file);
  field("first_label", part.first);
  field("labels", part.count);
}

template <class Fields>
void json_fields(Fields& field, PartList& list) {
  field("step", list.step);
  field("by_rows", list.by_rows);
  field("parts", list.parts);
}

void write(const Path& path, const RunIdentity& identity, const Trainee& trainee) {
  SafetensorsWriter writer;
  trainee.model.save_state(writer);
  if (trainee.estimator != nullptr) trainee.estimator->save_state(writer);
  if (trainee.memory != nullptr) trainee.memory->save_state(writer);
  writer.add_metadata("loop", record_text(CheckpointRecord{identity, trainee.state}));
  writer.write(path);
}

LoopState checked_state(const SafetensorsFile& file, const RunIdentity& identity) {
  CheckpointRecord record = read_record_of(file, file.path());
  if (const auto difference = first_difference(record.identity, identity)) {
    fail("{}: it was made with {} {}, but {} was asked for; give the same flags, or --overwrite",
         file.path().string(), difference->key, difference->earlier, difference->now);
  }
  return std::move(record.state);
}

void load_labels(const SafetensorsFile& file, const LabelPart& from, const Trainee& trainee) {
  if (!trainee.part.is_split() && from.count == from.all) {
    trainee.model.load_state(file);
    if (trainee.estimator != nullptr) trainee.estimator->load_state(file, trainee.state.step);
    if (trainee.memory != nullptr) trainee.memory->load_state(file);
    return;
  }
  trainee.model.load_labels(file, from);
  if (trainee.estimator != nullptr) {
    trainee.estimator->load_labels(file, trainee.state.step, from);
  }
  if (trainee.memory != nullptr) trainee.memory->load_labels(file, from);
}

// Of a list from a file: it names files that save_parts() writes, and no others.
void check_names(const PartList& list, const Path& path) {
  for (const PartFile& part : list.parts) {
    if (is_checkpoint_part(part.file)) continue;
    fail(
        "{}: expected names such as checkpoint-100-0.safetensors, found '{}'; start again with "
        "--overwrite",
        path.string(), part.file.substr(0, 200));
  }
}

// Together they have each label once, and the last one has some.
void check_cover(const PartList& list, size_t labels, const Path& path) {
  size_t next = 0;
  for (const PartFile& part : list.parts) {
    if (part.first != next || part.count > labels - next) break;
    next += part.count;
  }
  if (next == labels && !list.parts.empty() && list.parts.back().count > 0) return;
  fail(
      "{}: expected files with {} labels in all, one after the other; start again with --overwrite",
      path.string(), labels);
}

// Estimates stay with the rank that has their rows: as many ranks go on as have begun.
void load_rows(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee,
               const PartList& list) {
  const Path path = folder.checkpoint_parts();
  const size_t ranks =
      trainee.rows.is_split() ? static_cast<size_t>(trainee.rows.cluster->size()) : 1;
  if (!list.by_rows || !trainee.rows.is_split() || list.parts.size() != ranks) {
    fail(
        "{}: it was made by {} ranks{}, and this job has {}; continue with as many, or give "
        "--overwrite",
        path.string(), list.parts.size(), list.by_rows ? " with --shard-by rows" : "", ranks);
  }
  const PartFile& part = list.parts[static_cast<size_t>(trainee.rows.cluster->rank())];
  const SafetensorsFile file = open_checkpoint(folder.path / part.file);
  LoopState state = checked_state(file, identity);
  if (state.step != list.step) {
    fail("{}: expected the state after step {}, found {}; start again with --overwrite",
         file.path().string(), list.step, state.step);
  }
  trainee.state = std::move(state);
  load_labels(file, all_labels(trainee.part.all), trainee);
}

void load_parts(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee) {
  const Path path = folder.checkpoint_parts();
  const auto list = read_record<PartList>(path);
  check_names(list, path);
  if (list.by_rows || trainee.rows.is_split()) return load_rows(folder, identity, trainee, list);
  const LabelPart& mine = trainee.part;
  check_cover(list, mine.all, path);
  for (const PartFile& part : list.parts) {
    const bool is_first = &part == &list.parts.front();
    const bool has_mine =
        part.first < mine.first + mine.count && mine.first < part.first + part.count;
    if (!is_first && !has_mine) continue;
    const SafetensorsFile file = open_checkpoint(folder.path / part.file);
    LoopState state = checked_state(file, identity);
    if (state.step != list.step) {
      fail("{}: expected the state after step {}, found {}; start again with --overwrite",
           file.path().string(), list.step, state.step);
    }
    if (is_first) trainee.state = std::move(state);
    if (has_mine) load_labels(file, {nullptr, part.first, part.count, mine.all}, trainee);
  }
}

// Every rank writes its own; the list is valid when all have.
void save_parts(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee) {
  const bool by_rows = trainee.rows.is_split();
  Cluster& cluster = by_rows ? *trainee.rows.cluster : *trainee.part.cluster;
  const uint64_t step = trainee.state.step;
  write(folder.checkpoint_part(step, cluster.rank()), identity, trainee);
  cluster.barrier();
  if (!cluster.is_first()) return;
  std::optional<PartList> earlier;
  if (path_exists(folder.checkpoint_parts())) {
    earlier = read_record<PartList>(folder.checkpoint_parts());
  }
  PartList list{step, by_rows, {}};
  for (int r = 0; r < cluster.size(); ++r) {
    const LabelPart part =
        by_rows ? all_labels(trainee.part.all) : part_of_rank(trainee.part.all, r, cluster.size());
    list.parts.push_back(
        {folder.checkpoint_part(step, r).filename().string(), part.first, part.count});
  }
  write_file(folder.checkpoint_parts(), record_text(list, 2) + "\n");
  remove_file(folder.checkpoint());
  if (!earlier || earlier->step == step) return;
  for (const PartFile& part : earlier->parts) {
    if (is_checkpoint_part(part.file)) remove_file(folder.path / part.file);
  }
}

}  // namespace

void save_checkpoint(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee) {
  if (trainee.part.is_split() || trainee.rows.is_split()) {
    return save_parts(folder, identity, trainee);
  }
  write(folder.checkpoint(), identity, trainee);
  if (!path_exists(folder.checkpoint_parts())) return;
  // Goes on alone with what several had begun.
  remove_checkpoint_parts(folder);
}

bool load_checkpoint(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee) {
  if (path_exists(folder.checkpoint_parts())) {
    load_parts(folder, identity, trainee);
  } else if (path_exists(folder.checkpoint())) {
    if (trainee.rows.is_split()) {
      fail("{}: it was made by one process; continue with one, or give --overwrite",
           folder.checkpoint().string());
    }
    const SafetensorsFile file = open_checkpoint(folder.checkpoint());
    trainee.state = checked_state(file, identity);
    load_labels(file, all_labels(trainee.part.all), trainee);
  } else {
    return false;
  }
  // The sum so far is rank 0's; the others add to it.
  const Cluster* const cluster =
      trainee.rows.is_split() ? trainee.rows.cluster : trainee.part.cluster;
  if (cluster != nullptr && !cluster->is_first()) trainee.state.loss_sum = 0;
  return true;
}

}  // namespace spml
