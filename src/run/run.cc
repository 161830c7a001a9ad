#include "run/run.h"

#include <filesystem>

#include "base/clock.h"
#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "fit/average.h"
#include "fit/measure.h"
#include "fit/observed_k.h"
#include "formats/json_fields.h"
#include "run/run_record_fields.h"
#include "run/run_writer.h"
#include "settings/config_words.h"

namespace spml {
namespace {

struct IdentityRecord {
  RunIdentity identity;
};

template <class Fields>
void json_fields(Fields& field, IdentityRecord& record) {
  field("run", record.identity);
}

std::string identity_text(const RunIdentity& identity) {
  return record_text(IdentityRecord{identity});
}

RunIdentity identity_from(const Bytes& bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parse_record<IdentityRecord>(text, "another rank").identity;
}

RunIdentity identity_of(const Dataset& data, const TrainConfig& config,
                        const LinearStarts& linear_starts) {
  RunIdentity identity;
  identity.config = config;
  identity.config.k = resolve_k(data, config);
  identity.data_fingerprint = fingerprint(data);
  if (!config.image.init.empty()) {
    const RunFolder start{linear_starts.init_run(config)};
    identity.init_sha256 = sha256_of_file(start.model());
  }
  return identity;
}

// Of the folder that all see, or of all ranks' folders.
std::string fingerprint_of_all(const RowShare& share) {
  std::string mine = fingerprint(*share.whole);
  if (share.whole->train_file.rows() == share.part.all) return mine;
  std::string all;
  for (const Bytes& part : share.part.cluster->all_gather(std::as_bytes(std::span(mine)))) {
    all.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  return sha256(std::as_bytes(std::span(all))).substr(0, mine.size());
}

// Ranks that train together have the same data and settings.
void expect_same_run(Cluster& cluster, const RunIdentity& identity) {
  const std::string text = identity_text(identity);
  const auto all = cluster.all_gather(std::as_bytes(std::span(text)));
  for (size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    const auto difference = first_difference(identity_from(all[0]), identity_from(all[r]));
    if (!difference) continue;
    fail("rank {} has {} {}, rank 0 has {}; give all ranks the same data and flags", r,
         difference->key, difference->now, difference->earlier);
  }
}

void check_same_run(const RunFolder& folder, const RunIdentity& identity) {
  if (!path_exists(folder.config())) return;
  const RunIdentity earlier = read_run_setup(folder.config()).identity;
  if (const auto difference = first_difference(earlier, identity)) {
    fail_other_run(folder.path, *difference);
  }
}

}  // namespace

RunRecord run_training(const Dataset& data, const TrainConfig& asked, const RunOptions& options,
                       const RunEvents& events) {
  const TrainConfig config =
      options.rows != nullptr ? asked : with_estimated_k(data, asked, options.threads, events);
  const RunFolder folder{options.out};
  Cluster* const cluster = options.cluster;
  const bool is_first = cluster == nullptr || cluster->is_first();
  std::unique_ptr<FileLock> lock;
  if (is_first && !options.is_claimed) lock = claim_folder(options.out, options.existing);
  RunIdentity identity = identity_of(data, config, options.linear_starts);
  if (options.rows != nullptr) identity.data_fingerprint = fingerprint_of_all(*options.rows);
  if (cluster != nullptr) expect_same_run(*cluster, identity);
  bool finished = false;
  if (is_first && options.existing == Existing::kResume) {
    check_same_run(folder, identity);
    finished = path_exists(folder.result());
  }
  if (cluster != nullptr) finished = said_by_first(*cluster, finished ? "yes" : "no") == "yes";
  if (finished) {
    if (!is_first) return {};
    remove_checkpoints(folder);  // killed just before they were removed
    if (events.notice) {
      events.notice(fmt::format("{} is finished already: nothing to do", options.out.string()));
    }
    return read_run(options.out);
  }

  std::optional<LinearStart> start;
  if (config.mode == Mode::kLinearInit) {
    start = options.linear_starts.make(data, config, options, events);
  }
  const auto made = options.rows != nullptr
                        ? std::make_unique<Session>(*options.rows, config, options.threads)
                        : std::make_unique<Session>(data, config, options.threads, std::move(start),
                                                    options.make_image_model, nullptr, cluster);
  Session& session = *made;
  RunWriter writer(folder, session, identity, options, events);
  writer.begin();
  session.train(writer.loop_events());
  const double val_map = average_classifiers(session, events);
  RunResult result = measure(session);
  result.val_map = val_map;
  const Decisions decisions = decide(session, events);
  result.thresholds_from = to_string(decisions.from);
  if (const auto reliability = test_reliability(session, decisions.calibration)) {
    result.ece = reliability->error();
    result.reliability = reliability->bins();
  }
  writer.write_model(decisions);
  result.seconds = seconds_since(options.start);
  return writer.finish(std::move(result));
}

}  // namespace spml
