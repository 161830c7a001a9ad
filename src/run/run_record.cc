#include "run/run_record.h"

#include "base/fail.h"
#include "formats/written_record.h"
#include "run/run_folder.h"
#include "run/run_record_fields.h"
#include "settings/config_words.h"

namespace spml {

Json to_json_value(const RunIdentity& identity) {
  Json json = to_json_value(identity.config);
  json["data_fingerprint"] = identity.data_fingerprint;
  if (!identity.init_sha256.empty()) json["init-sha256"] = identity.init_sha256;
  return json;
}

void read_json_value(const Json& json, const std::string& place, RunIdentity& identity) {
  read_json_value(json, place, identity.config);
  const FieldReader field(json, place);
  field.maybe("data_fingerprint", identity.data_fingerprint);
  field.maybe("init-sha256", identity.init_sha256);
}

Json to_json_value(const FeatureOrigin& origin) { return to_json(origin); }

void read_json_value(const Json& json, const std::string& place, FeatureOrigin& origin) {
  origin = parse_feature_origin(nlohmann::json(json), place);
}

static std::optional<IdentityDifference> difference_of(const Json& before, const Json& after) {
  for (const auto& [key, value] : after.items()) {
    const Json other = before.value(key, Json());
    if (other != value) return IdentityDifference{key, json_text(other), json_text(value)};
  }
  for (const auto& [key, value] : before.items()) {
    if (!after.contains(key)) return IdentityDifference{key, json_text(value), "null"};
  }
  return std::nullopt;
}

std::optional<IdentityDifference> first_difference(const RunIdentity& earlier,
                                                   const RunIdentity& now) {
  return difference_of(to_json_value(earlier), to_json_value(now));
}

std::optional<IdentityDifference> first_difference(const SearchRequest& earlier,
                                                   const SearchRequest& now) {
  return difference_of(json_value(earlier), json_value(now));
}

void fail_other_run(const Path& folder, const IdentityDifference& difference) {
  constexpr size_t kEarlier = 18;  // 16 digits and their quotation marks: of a sample of the rows
  if (difference.key == "data_fingerprint" && difference.earlier.size() == kEarlier) {
    fail(
        "{}: the run there was begun by version 0.2 or earlier, which looked at a sample of the "
        "data only, so that nothing says whether it is the same; finish it with that version, or "
        "give another --out or --overwrite",
        folder.string());
  }
  fail(
      "{}: the run there has {} {}, but {} was asked for; give the flags and data it was started "
      "with, another --out, or --overwrite",
      folder.string(), difference.key, difference.earlier, difference.now);
}

std::string json_text(const RunSetup& setup) {
  return written_record(setup, "config.json", 2) + "\n";
}
std::string json_text(const RunResult& result) {
  return written_record(result, "result.json", 2) + "\n";
}
std::string json_text(const EpochRecord& epoch) { return written_record(epoch, "metrics.jsonl"); }

RunSetup read_run_setup(const Path& file) { return read_record<RunSetup>(file); }
RunResult read_run_result(const Path& file) { return read_record<RunResult>(file); }

std::vector<EpochRecord> read_epochs(const Path& file) {
  return read_record_lines<EpochRecord>(file);
}

// What a result repeats of the configuration is the same there. A classifier that a user put
// together was trained in no steps that this program knows of.
static void check_same(const TrainConfig& config, const RunResult& result, const Path& file) {
  const bool same_steps =
      config.own_loss || (result.lr == config.learning_rate() && result.batch == config.batch);
  if (same_steps && result.loss == config.loss && result.mode == config.mode &&
      result.seed == config.seed) {
    return;
  }
  fail(
      "{}: expected loss '{}', mode {}, lr {:g}, batch {} and seed {}, as in config.json, found "
      "'{}', {}, {:g}, {} and {}",
      file.string(), config.loss, to_string(config.mode), config.learning_rate(), config.batch,
      config.seed, result.loss.substr(0, 200), to_string(result.mode), result.lr, result.batch,
      result.seed);
}

RunRecord read_run(const Path& folder) {
  const RunFolder files{folder};
  RunRecord run{read_run_setup(files.config()), read_epochs(files.metrics()),
                read_run_result(files.result())};
  check_same(run.setup.identity.config, run.result, files.result());
  return run;
}

}  // namespace spml
