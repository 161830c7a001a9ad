// The keys of search.jsonl, as in run/run_record_fields.h.
#pragma once

#include "run/run_record_fields.h"
#include "search/trial.h"

namespace spml {

// A line of search.jsonl.
template <class Fields>
void json_fields(Fields& field, SearchTrial& trial) {
  field("trial", trial.trial);
  field("stage", trial.stage);
  json_fields_of(field, trial_settings(), trial.config);
  field("best_epoch", trial.best_epoch);
  field("val_map", trial.val_map);
  field("score", trial.score);
  field.maybe("blend_ridge", trial.config.blend_ridge);
  field.maybe("error", trial.error);
  field.maybe("chosen", trial.chosen);
}

}  // namespace spml
