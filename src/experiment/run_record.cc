#include "experiment/run_record.h"

#include "experiment/config_words.h"
#include "experiment/record_fields.h"
#include "experiment/run_folder.h"
#include "formats/json_fields.h"

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

std::optional<IdentityDifference> first_difference(const RunIdentity& earlier,
                                                   const RunIdentity& now) {
  const Json before = to_json_value(earlier), after = to_json_value(now);
  for (const auto& [key, value] : after.items()) {
    const Json other = before.value(key, Json());
    if (other != value) return IdentityDifference{key, json_text(other), json_text(value)};
  }
  for (const auto& [key, value] : before.items()) {
    if (!after.contains(key)) return IdentityDifference{key, json_text(value), "null"};
  }
  return std::nullopt;
}

std::string json_text(const RunSetup& setup) { return record_text(setup, 2) + "\n"; }
std::string json_text(const RunResult& result) { return record_text(result, 2) + "\n"; }
std::string json_text(const EpochRecord& epoch) { return record_text(epoch); }

std::vector<SearchTrial> read_search(const Path& file) {
  return read_record_lines<SearchTrial>(file);
}

RunSetup read_run_setup(const Path& file) { return read_record<RunSetup>(file); }
RunResult read_run_result(const Path& file) { return read_record<RunResult>(file); }

std::vector<EpochRecord> read_epochs(const Path& file) {
  return read_record_lines<EpochRecord>(file);
}

RunRecord read_run(const Path& folder) {
  const RunFolder files{folder};
  return {read_run_setup(files.config()), read_epochs(files.metrics()),
          read_run_result(files.result())};
}

}  // namespace spml
