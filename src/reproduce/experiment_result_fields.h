// The keys of results.json, as in run_record_fields.h.
#pragma once

#include "reproduce/experiment_result.h"
#include "run/run_record_fields.h"

namespace spml {

inline void from_word(std::string_view word, Show& show) { show = show_from(word); }

template <class Fields>
void json_fields(Fields& field, ResultPoint& point) {
  const bool trained = point.lr.has_value();
  field.maybe("x", point.x);
  field.maybe("paper", point.paper);
  if (trained) {
    field("ours", point.ours);  // null where the data does not allow it
  } else {
    field.maybe("ours", point.ours);
  }
  field.maybe("std", point.std);
  field.maybe("labels_seen", point.labels_seen);
  field.maybe("val_map", point.val_map);
  field.maybe("lr", point.lr);
  field.maybe("batch", point.batch);
  field.maybe("best_epoch", point.best_epoch);
  field.maybe("difference", point.difference);
  field.maybe("rank", point.rank);
}

// A parameter that stands for the number of labels is "L".
struct RowParameters {
  std::map<std::string, std::optional<double>>& values;
};
nlohmann::ordered_json to_json_value(const RowParameters& params);
void read_json_value(const nlohmann::ordered_json& json, const std::string& place,
                     RowParameters& params);

template <class Fields>
void json_fields(Fields& field, ResultRow& row) {
  field("label", row.label);
  field.maybe("labels", row.labels);
  field.maybe("statistic", row.statistic);
  field.maybe("loss", row.loss);
  if (row.statistic.empty()) {
    RowParameters params{row.params};
    field("params", params);
    field("mode", row.mode);
    field("single", row.single);
  }
  field("extra", row.extra);
  field("cells", row.cells);
  field.maybe("curves", row.curves);
  field.maybe("histograms", row.histograms);
  field.maybe("runs", row.runs);
  field.maybe("chosen", row.chosen);
  field.maybe("references", row.references);
}

template <class Fields>
void json_fields(Fields& field, ExperimentResult& result) {
  field("experiment", result.experiment);
  field("title", result.title);
  field.maybe("note", result.note);
  field.maybe("caption", result.caption);
  field("row_title", result.row_title);
  field("show", result.show);
  field("metric", result.metric);
  field("metric_text", result.metric_text);
  field.maybe("x", result.x);
  field("mode", result.mode);
  field("seeds", result.seeds);
  field("columns", result.columns);
  field("data", result.data);
  field("rows", result.rows);
  field("runs", result.runs);
  field("version", result.version);
  field("machine", result.machine);
  field("seconds", result.seconds);
}

template <class Fields>
void json_fields(Fields& field, Reproduction& reproduction) {
  field("version", reproduction.version);
  field("experiments", reproduction.experiments);
}

}  // namespace spml
