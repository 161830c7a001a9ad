// The keys of results.jsonl and best.json, as in run/run_record_fields.h.
#pragma once

#include "run/run_record_fields.h"
#include "sweep/sweep.h"

namespace spml {

// A line of results.jsonl.
template <class Fields>
void json_fields(Fields& field, SweepRun& run) {
  json_fields(field, run.record.result);
  field("run", run.run);
}

// A winner in best.json.
template <class Fields>
void json_fields(Fields& field, Winner& winner) {
  json_fields(field, winner.result);
  field.maybe("run", winner.run);
  field.maybe("val_map_mean", winner.val_map_mean);
  field.maybe("test_map_mean", winner.test_map_mean);
  field.maybe("test_map_std", winner.test_map_std);
  field.maybe("train_map_mean", winner.train_map_mean);
  field.maybe("train_map_std", winner.train_map_std);
  field.maybe("seeds", winner.seeds);
  field.maybe("seeds_missing", winner.seeds_missing);
}

template <class Fields>
void json_fields(Fields& field, FailedRun& failed) {
  field("run", failed.run);
  field("error", failed.error);
}

// best.json
template <class Fields>
void json_fields(Fields& field, SweepSummary& summary) {
  field("runs", summary.runs);
  field("best", summary.best);
  field("seconds", summary.seconds);
  field.maybe("failed", summary.failed);
}

}  // namespace spml
