// Where records get their fields: the keys of every file of a run folder, in the order
// in which they stand there. formats/json_fields.h writes and reads them. A new field is a member
// of the struct and a line here; field.maybe() for one that earlier versions did not write.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "run/run_record.h"
#include "settings/config_json.h"

namespace spml {

// An identity is its configuration with the fingerprints in the same object.
nlohmann::ordered_json to_json_value(const RunIdentity& identity);
void read_json_value(const nlohmann::ordered_json& json, const std::string& place,
                     RunIdentity& identity);
nlohmann::ordered_json to_json_value(const FeatureOrigin& origin);
void read_json_value(const nlohmann::ordered_json& json, const std::string& place,
                     FeatureOrigin& origin);

template <class Fields>
void json_fields(Fields& field, Machine& machine) {
  field.maybe("cpu", machine.cpu);
  field.maybe("cores", machine.cores);
  field.maybe("memory_gib", machine.memory_gib);
  field.maybe("os", machine.os);
  field.maybe("simd", machine.simd);
}

template <class Fields>
void json_fields(Fields& field, RunRows& rows) {
  field("train", rows.train);
  field("val", rows.val);
  field("test", rows.test);
}

template <class Fields>
void json_fields(Fields& field, SearchRequest& request) {
  field("trials", request.trials);
  field("time-limit", request.time_limit);
  field("refit", request.refit);
  field("k", request.k);
}

// config.json
template <class Fields>
void json_fields(Fields& field, RunSetup& setup) {
  field("version", setup.version);
  field("data", setup.data);
  field("data_name", setup.data_name);
  field("config", setup.identity);
  field.maybe("search", setup.search);
  field("k", setup.k);
  field.maybe("k_from", setup.k_from);
  field("params", setup.params);
  field("select", setup.select);
  field("rows", setup.rows);
  field("features", setup.features);
  field("extraction", setup.extraction);
  field.maybe("classes", setup.classes);
  field("machine", setup.machine);
  field("threads", setup.threads);
  field.maybe("ranks", setup.ranks);
}

// A line of metrics.jsonl.
template <class Fields>
void json_fields(Fields& field, EpochRecord& record) {
  field("epoch", record.epoch);
  field("train_loss", record.train_loss);
  field("val_map", record.val_map);
  field("khat", record.khat);
  field("khat_estimates", record.khat_estimates);
  field("seconds", record.seconds);
  field.maybe("unobserved_positives", record.unobserved_positives);
}

template <class Fields>
void json_fields(Fields& field, ReliabilityBin& bin) {
  field("entries", bin.entries);
  field("predicted", bin.predicted);
  field("positives", bin.positives);
}

template <class Fields>
void json_fields(Fields& field, Expected& expected) {
  field("value", expected.value);
  field("low", expected.low);
  field("high", expected.high);
}

template <class Fields>
void json_fields(Fields& field, ExpectedQuality& quality) {
  field("rows", quality.rows);
  field("complete_rows", quality.complete_rows);
  field("precision", quality.precision);
  field("recall", quality.recall);
  field("f1", quality.f1);
  field("tags_per_row", quality.tags);
  field("known_found", quality.found);
  field("label_f1", quality.label_f1);
}

// result.json
template <class Fields>
void json_fields(Fields& field, RunResult& result) {
  field("loss", result.loss);
  field("mode", result.mode);
  field("lr", result.lr);
  field("batch", result.batch);
  field("epochs", result.epochs);
  field("seed", result.seed);
  field("k", result.k);
  field.maybe("k_from", result.k_from);
  field("params", result.params);
  json_fields_of(field, result_settings(), result.settings);
  field("best_epoch", result.best_epoch);
  field("val_map", result.val_map);
  field("test_map", result.test_map);
  field("train_map", result.train_map);
  field("test_map_nonempty", result.test_map_nonempty);
  field("per_class_ap", result.per_class_ap);
  field.maybe("selected_on", result.selected_on);
  field.maybe("thresholds_from", result.thresholds_from);
  field.maybe("ece", result.ece);
  field.maybe("reliability", result.reliability);
  field.maybe("expected", result.expected);
  field.maybe("refit", result.refit);
  field("steps", result.steps);
  field("resumed_from_step", result.resumed_from_step);
  field("train_seconds", result.train_seconds);
  field("seconds", result.seconds);
}

}  // namespace spml
