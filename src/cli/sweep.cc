// spml sweep
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "base/fail.h"
#include "cli/images.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/train_flags.h"
#include "cli/verbs.h"
#include "experiment/sweep.h"

namespace spml::cli {
namespace {

// The paper's grid.
const std::vector<double> kLearningRates = {1e-2, 1e-3, 1e-4, 1e-5};
const std::vector<size_t> kBatches = {8, 16};

struct Options {
  Common common;
  TrainFlags flags;
  std::string out, shard = "1/1";
  int jobs = 0;
  bool resume = false, overwrite = false;
  uint64_t checkpoint_every = 0;
};

// "2/8" -> the second of eight.
void parse_shard(const std::string& text, SweepOptions& sweep) {
  const size_t slash = text.find('/');
  size_t i = 0, n = 0;
  const char *begin = text.data(), *end = begin + text.size();
  const char* middle = slash == std::string::npos ? end : begin + slash;
  const bool ok = middle != end && std::from_chars(begin, middle, i).ptr == middle &&
                  std::from_chars(middle + 1, end, n).ptr == end;
  if (!ok || i < 1 || i > n) {
    fail_usage("--shard: expected i/n with i from 1 to n, found '{}'", text);
  }
  sweep.shard = i - 1;
  sweep.shards = n;
}

std::string number(const Json& value, const char* format_missing = "-") {
  return value.is_null() ? format_missing : fmt::format("{:.2f}", value.get<double>());
}

// Test MAP of a winner: with its deviation when there are several seeds.
std::string test_text(const Json& winner) {
  if (!winner.contains("test_map_mean")) return number(winner["test_map"]);
  return fmt::format("{:.2f} +- {:.2f}", winner["test_map_mean"].get<double>(),
                     winner["test_map_std"].get<double>());
}

std::string table(const Json& best) {
  std::string text = fmt::format("{:<14} {:>8} {:>6} {:>6} {:>8} {:>16} {:>8}\n", "loss", "lr",
                                 "batch", "epoch", "val MAP", "test MAP", "train MAP");
  for (const auto& [loss, winner] : best.items()) {
    text += fmt::format(
        "{:<14} {:>8g} {:>6} {:>6} {:>8} {:>16} {:>8}\n", loss, winner["lr"].get<double>(),
        winner["batch"].get<size_t>(), winner["best_epoch"].get<int>(),
        number(winner.contains("val_map_mean") ? winner["val_map_mean"] : winner["val_map"]),
        test_text(winner), number(winner["train_map"]));
  }
  return text;
}

// On a terminal: the best so far of every loss, redrawn in place after each run.
class LiveTable {
 public:
  LiveTable(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~LiveTable() { erase(); }

  void add(const Json& result, size_t done, size_t total) {
    results_.push_back(result);
    if (quiet_) return;
    if (!terminal_) {
      fmt::print(stderr, "sweep: {}/{} {} lr {:g} batch {} seed {}: val {} test {}\n", done, total,
                 result["loss"].get<std::string>(), result["lr"].get<double>(),
                 result["batch"].get<size_t>(), result["seed"].get<uint64_t>(),
                 number(result["val_map"]), number(result["test_map"]));
      return;
    }
    erase();
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
    const std::string text = table(best_per_loss(results_)) +
                             fmt::format("{}/{} runs  {} left\n", done, total, clock_text(left));
    lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    fmt::print(stderr, "{}", text);
  }

 private:
  void erase() {
    if (lines_ > 0) fmt::print(stderr, "\033[{}A\033[J", lines_);
    lines_ = 0;
  }

  bool quiet_, terminal_;
  int lines_ = 0;
  std::vector<Json> results_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void sweep(const Options& options) {
  if (options.resume && options.overwrite)
    fail_usage("--resume and --overwrite exclude each other");
  SweepOptions sweep;
  sweep.out = options.out;
  sweep.overwrite = options.overwrite;
  sweep.checkpoint_every = options.checkpoint_every;
  parse_shard(options.shard, sweep);
  // A step of a network keeps all cores busy; one of a linear model does not.
  const int default_jobs = options.flags.is_linear() ? options.common.threads : 1;
  sweep.jobs = options.jobs > 0 ? options.jobs : default_jobs;
  sweep.make_image_model = image_model_maker();
  sweep.threads = std::max(1, options.common.threads / sweep.jobs);

  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = options.flags.needs_features();
  data_options.threads = options.common.threads;
  const Dataset data = open_dataset(options.flags.data, data_options);
  const auto grid = expand(options.flags, data.labels(), kLearningRates, kBatches);
  catch_interrupt();
  Json best;
  {
    LiveTable live(options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const Json& result, size_t done, size_t total) {
      live.add(result, done, total);
    };
    events.stop_requested = interrupted;
    best = run_sweep(data, grid, sweep, events);
  }
  if (options.common.json) {
    print_json(best);
    return;
  }
  fmt::print("{}", table(best["best"]));
  fmt::print("{} runs in {:.1f} s; all of them in {}/results.jsonl\n", best["runs"].get<size_t>(),
             best["seconds"].get<double>(), options.out);
}

}  // namespace

void add_sweep(CLI::App& app) {
  CLI::App& verb =
      add_verb(app, "sweep", "Train over a grid of settings; a rerun does only what is missing");
  auto options = std::make_shared<Options>();
  add_train_flags(verb, options->flags, true);
  verb.get_option("--lr")->description("Learning rates (default: the paper's 1e-2,1e-3,1e-4,1e-5)");
  verb.get_option("--batch")->description("Batch sizes (default: the paper's 8,16)");
  verb.add_option("--out", options->out, "The sweep folder")->required()->type_name("SWEEP");
  verb.add_option("--jobs", options->jobs,
                  "Runs at the same time (default: all cores, 1 unless linear)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--shard", options->shard, "i/n: do the i-th of n parts of the grid")
      ->capture_default_str();
  verb.add_flag("--resume", options->resume, "Do what is missing; so does a sweep without it");
  verb.add_flag("--overwrite", options->overwrite, "Do the runs again that are finished");
  verb.add_option("--checkpoint-every", options->checkpoint_every,
                  "Steps between a run's checkpoints (default: every 10 s at most)")
      ->type_name("STEPS");
  add_threads(verb, options->common);
  add_json(verb, options->common);
  add_quiet(verb, options->common);
  verb.callback([options] { sweep(*options); });
}

}  // namespace spml::cli
