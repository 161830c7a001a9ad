#include "review/http/api_json.h"

namespace spml::review {
namespace {

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const Precision& precision) {
  return {{"yes", precision.yes},
          {"no", precision.no},
          {"unsure", precision.unsure},
          {"low", precision.interval.low},
          {"high", precision.interval.high}};
}

}  // namespace

Response json_response(const Json& value) {
  return {200,
          "application/json",
          value.dump(-1, ' ', false, Json::error_handler_t::replace),
          {},
          false};
}

Json to_json(const std::vector<NewAnswer>& states) {
  Json list = Json::array();
  for (const auto& [entry, answer] : states) {
    list.push_back({{"row", entry.row}, {"label", entry.label}, {"state", to_string(answer)}});
  }
  return list;
}

Json to_json(const ReviewRun& run) {
  return {{"id", run.id},
          {"folder", run.folder},
          {"state", to_string(run.state)},
          {"answers", run.answers},
          {"time", run.time},
          {"unknown", optional(run.unknown)},
          {"expected_missing", optional(run.expected)},
          {"val_map", optional(run.val_map)},
          {"test_map", optional(run.test_map)}};
}

Json to_json(const RetrainStatus& status) {
  return {{"running", status.running},
          {"phase", status.phase},
          {"share", status.share},
          {"answers", status.answers},
          {"error", status.error}};
}

Json to_json(const ReviewSample& sample) {
  const auto& counts = sample.record.counts;
  Json json = {{"id", sample.record.id},
               {"size", sample.record.size},
               {"population", sample.record.population},
               {"time", sample.record.time},
               {"open", counts[0]},
               {"yes", counts[1]},
               {"no", counts[2]},
               {"unsure", counts[3]},
               {"missing_at_most", nullptr},
               {"share_found_at_least", nullptr}};
  if (sample.bound) {
    json["missing_at_most"] = sample.bound->missing_at_most;
    json["share_found_at_least"] = sample.bound->share_found_at_least;
  }
  return json;
}

Json to_json(const Progress& progress) {
  Json json = {{"all", to_json(progress.all)}, {"classes", Json::array()}};
  for (const Precision& precision : progress.classes) json["classes"].push_back(to_json(precision));
  json["found"] = progress.found;
  json["per_minute"] = progress.per_minute;
  return json;
}

Json to_json(const std::vector<Listed>& entries, const Pictures& pictures) {
  Json list = Json::array();
  for (const Listed& listed : entries) {
    list.push_back({{"row", listed.entry.row},
                    {"label", listed.entry.label},
                    {"score", listed.score},
                    {"state", to_string(listed.state)},
                    {"name", pictures.caption(static_cast<size_t>(listed.entry.row))}});
  }
  return list;
}

}  // namespace spml::review
