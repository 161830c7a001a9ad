#include "run/run.h"

#include <filesystem>

#include "base/clock.h"
#include "base/fail.h"
#include "base/folders.h"
#include "base/number.h"
#include "base/sha256.h"
#include "fit/fit.h"
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

void check_same_run(const RunFolder& folder, const RunIdentity& earlier,
                    const RunIdentity& identity) {
  if (const auto difference = first_difference(earlier, identity)) {
    fail_other_run(folder.path, *difference);
  }
}

// The estimate of k that the run in the folder was begun with. Error where it is another run.
std::optional<double> earlier_k(const RunFolder& folder, RunIdentity identity) {
  if (!path_exists(folder.config())) return std::nullopt;
  const RunSetup there = read_run_setup(folder.config());
  const bool is_estimate = there.k_from.empty() || there.k_from == "observed";
  if (is_estimate) identity.config.k = there.identity.config.k;
  check_same_run(folder, there.identity, identity);
  return identity.config.k;
}

// With k, also where only the observed labels can say it. The folder is this run's by now: nothing
// is trained for one that is refused, or that knows k.
TrainConfig with_k(const Dataset& data, TrainConfig config, const RunOptions& options,
                   const RunEvents& events) {
  Cluster* const cluster = options.cluster;
  const bool estimate =
      options.rows == nullptr && (config.k_is_estimated || needs_estimated_k(data, config));
  std::optional<double> k;
  if (estimate && options.existing == Existing::kResume && is_first_of(cluster)) {
    k = earlier_k({options.out}, identity_of(data, config, options.linear_starts));
  }
  if (cluster != nullptr) {
    k = parse_number<double>(said_by_first(*cluster, k ? fmt::format("{}", *k) : "unknown"));
  }
  if (!estimate) return config;
  if (!k && !config.k) {
    if (!options.estimated_k) return with_estimated_k(data, config, options.threads, events);
    k = options.estimated_k();
  }
  if (k) config.k = k;
  config.k_is_estimated = true;
  return config;
}

// result.json is written last. One without the refit was left by a version that refitted later.
bool is_finished(const RunFolder& folder, bool refits) {
  return path_exists(folder.result()) && (!refits || read_run_result(folder.result()).refit);
}

}  // namespace

RunRecord run_training(const Dataset& data, const TrainConfig& asked, const RunOptions& options,
                       const RunEvents& events) {
  const RunFolder folder{options.out};
  Cluster* const cluster = options.cluster;
  const bool is_first = is_first_of(cluster);
  std::unique_ptr<FileLock> lock;
  if (is_first && !options.is_claimed) lock = claim_folder(options.out, options.existing);
  const TrainConfig config = with_k(data, asked, options, events);
  RunIdentity identity = identity_of(data, config, options.linear_starts);
  if (options.rows != nullptr) identity.data_fingerprint = fingerprint_of_all(*options.rows);
  if (cluster != nullptr) expect_same_run(*cluster, identity);
  const bool refits = options.search && options.search->refit;
  bool finished = false;
  if (is_first && options.existing == Existing::kResume) {
    if (path_exists(folder.config())) {
      check_same_run(folder, read_run_setup(folder.config()).identity, identity);
    }
    finished = is_finished(folder, refits);
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
  Fit fitted = fit(session, writer.loop_events(), events);
  const auto whole = refits ? refit(session, fitted, events) : nullptr;
  writer.write_model(refits ? *whole->model : *session.model, fitted.decisions);
  fitted.result.seconds = seconds_since(options.start);
  return writer.finish(std::move(fitted.result));
}

}  // namespace spml
