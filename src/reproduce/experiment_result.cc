#include "reproduce/experiment_result.h"

#include <algorithm>

#include "base/fail.h"
#include "formats/written_record.h"
#include "reproduce/experiment_result_fields.h"
#include "settings/config_words.h"

namespace spml {
namespace {

constexpr const char* kLabelCount = "L";

}  // namespace

Json to_json_value(const RowParameters& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.values) {
    json[name] = value ? Json(*value) : Json(kLabelCount);
  }
  return json;
}

void read_json_value(const Json& json, const std::string& place, RowParameters& params) {
  std::map<std::string, Json> values;
  read_json_value(json, place, values);
  for (const auto& [name, value] : values) {
    std::optional<double>& number = params.values[name];
    if (value != kLabelCount) read_json(value, place + "." + name, number.emplace());
  }
}

const ResultRow* ExperimentResult::find_row(const std::string& label) const {
  const auto found = std::ranges::find(rows, label, &ResultRow::label);
  return found == rows.end() ? nullptr : &*found;
}

std::string json_text(const ExperimentResult& result) {
  return written_record(result, "the experiment", 2) + "\n";
}

std::string json_text(const Reproduction& reproduction) {
  return record_text(reproduction, 1) + "\n";
}

Reproduction read_reproduction(const Path& file) { return read_record<Reproduction>(file); }

}  // namespace spml
