// What is known of a run: how it was set up (config.json), its epochs (metrics.jsonl) and what came
// of it (result.json). run_record_fields.h has the keys of the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "data/dataset_json.h"
#include "fit/run_result.h"
#include "run/machine.h"
#include "settings/config.h"
#include "train/loop.h"

namespace spml {

// Runs that agree in this give the same bytes.
struct RunIdentity {
  TrainConfig config;  // k resolved
  std::string data_fingerprint;
  std::string init_sha256;  // of the model that linear-init starts from; "" unless it was given
};

// A key in which two identities differ, with both values.
struct IdentityDifference {
  std::string key, earlier, now;
};
std::optional<IdentityDifference> first_difference(const RunIdentity& earlier,
                                                   const RunIdentity& now);
// --resume continues the run that a folder holds, not another one.
[[noreturn]] void fail_other_run(const Path& folder, const IdentityDifference& difference);

// What was asked of the search that chose a run's settings.
struct SearchRequest {
  size_t trials = 0;
  std::optional<double> time_limit;  // seconds
  bool refit = false;
  std::optional<double> k;  // as given
};
std::optional<IdentityDifference> first_difference(const SearchRequest& earlier,
                                                   const SearchRequest& now);

struct RunRows {
  size_t train = 0, val = 0, test = 0;
};

struct RunSetup {
  std::string version;
  std::string data;  // the folder
  std::string data_name;
  RunIdentity identity;
  std::optional<SearchRequest> search;  // nothing where the settings were given
  std::optional<double> k;
  std::string k_from;              // as in the result; "" in files of versions that did not say
  LossParameters params;           // every parameter of the loss, resolved
  Select select = Select::kClean;  // after falling back to observed where there is no truth
  RunRows rows;
  size_t features = 0;                      // D; 0 without feature files
  std::optional<FeatureOrigin> extraction;  // of the features, where known
  std::vector<std::string> classes;
  Machine machine;
  int threads = 1;
  std::optional<int> ranks;  // processes that shared the work; nothing where it was one
};

struct RunRecord {
  RunSetup setup;
  std::vector<EpochRecord> epochs;
  RunResult result;
};

// The files' contents.
std::string json_text(const RunSetup& setup);
std::string json_text(const RunResult& result);
std::string json_text(const EpochRecord& epoch);  // one line, without its end

// Errors name the file, the key, what was expected and what was found.
RunSetup read_run_setup(const Path& file);
RunResult read_run_result(const Path& file);
std::vector<EpochRecord> read_epochs(const Path& file);
RunRecord read_run(const Path& folder);  // all three

}  // namespace spml
