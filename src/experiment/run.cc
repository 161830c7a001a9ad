#include "experiment/run.h"

#include <chrono>
#include <filesystem>

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "experiment/average.h"
#include "experiment/linear_start.h"
#include "experiment/measure.h"
#include "experiment/observed_k.h"
#include "experiment/run_writer.h"

namespace spml {
namespace {

RunIdentity identity_of(const Dataset& data, const TrainConfig& config) {
  RunIdentity identity;
  identity.config = config;
  identity.config.k = resolve_k(data, config);
  identity.data_fingerprint = fingerprint(data);
  if (!config.image.init.empty()) {
    const RunFolder start{linear_run(config.image.init, config.loss)};
    identity.init_sha256 = sha256_of_file(start.model());
  }
  return identity;
}

// --resume continues the run that the folder holds, not another one.
void check_same_run(const RunFolder& folder, const RunIdentity& identity) {
  if (!path_exists(folder.config())) return;
  const RunIdentity earlier = read_run_setup(folder.config()).identity;
  if (const auto difference = first_difference(earlier, identity)) {
    fail(
        "{}: the run there has {} {}, asked for is {}; give the flags and data it was started "
        "with, another --out, or --overwrite",
        folder.path.string(), difference->key, difference->earlier, difference->now);
  }
}

}  // namespace

RunRecord run_training(const Dataset& data, const TrainConfig& asked, const RunOptions& options,
                       const RunEvents& events) {
  const TrainConfig config = with_estimated_k(data, asked, options.threads, events.notice);
  const auto start_time = std::chrono::steady_clock::now();
  const RunFolder folder{options.out};
  const auto lock = claim_folder(options.out, options.existing);
  const RunIdentity identity = identity_of(data, config);
  if (options.existing == Existing::kResume) {
    check_same_run(folder, identity);
    if (path_exists(folder.result())) {
      remove_file(folder.checkpoint());  // killed just before it was removed
      if (events.notice) {
        events.notice(fmt::format("{} is finished already: nothing to do", options.out.string()));
      }
      return read_run(options.out);
    }
  }

  std::optional<LinearStart> start;
  if (config.mode == Mode::kLinearInit) start = linear_start(data, config, options, events);
  Session session(data, config, options.threads, std::move(start), options.make_image_model);
  RunWriter writer(folder, session, identity, options, events);
  writer.begin();
  session.loop.run(writer.loop_events());
  const double val_map = average_over_seeds(session, events);
  RunResult result = measure(session);
  result.val_map = val_map;
  const Decisions decisions = decide(session);
  result.thresholds_from = to_string(decisions.from);
  if (const auto reliability = test_reliability(session, decisions.calibration)) {
    result.ece = reliability->error();
    result.reliability = reliability->bins();
  }
  writer.write_model(decisions);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_time;
  result.seconds = seconds.count();
  return writer.finish(std::move(result));
}

}  // namespace spml
