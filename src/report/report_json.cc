// The report as the page's script reads it.
#include "formats/json_fields.h"
#include "report/collect.h"
#include "reproduce/experiment_result_fields.h"
#include "search/trial_fields.h"
#include "settings/config_words.h"
#include "sweep/sweep_fields.h"

namespace spml {
namespace {

std::vector<double> val_maps(const std::vector<EpochRecord>& epochs) {
  std::vector<double> values;
  for (const EpochRecord& epoch : epochs) values.push_back(epoch.val_map);
  return values;
}

}  // namespace

// Only written, never read.
static void json_fields(FieldWriter& field, ReportRun& run) {
  field("name", run.name);
  field("row", run.row);
  field("chosen", run.chosen);
  field("result", run.record.result);
  field("config", run.record.setup);
  field("curve", val_maps(run.record.epochs));
  field.maybe("search", run.search);
}

static void json_fields(FieldWriter& field, ReportRow& row) {
  field("label", row.label);
  field("labels", row.labels);
  field("single", row.single);
  field("rank", row.rank);
  field("winner", row.winner ? json_value(*row.winner) : Json::object());
}

static void json_fields(FieldWriter& field, ReportGroup& group) {
  field("name", group.name);
  field("path", group.path);
  field("classes", group.classes);
  field("rows", group.rows);
  field("runs", group.runs);
}

static void json_fields(FieldWriter& field, ReportSection& section) {
  field("title", section.title);
  field("groups", section.groups);
  field.maybe("experiment", section.experiment);
}

static void json_fields(FieldWriter& field, Report& report) {
  field("version", report.version);
  field("sections", report.sections);
}

std::string json_text(const Report& report) { return record_text(report); }

}  // namespace spml
