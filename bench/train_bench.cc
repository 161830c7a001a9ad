// How fast linear training is: against a plain LibTorch loop, against what the machine can do, and
// where the time goes. Ratios are what counts; seconds depend on who else uses the machine.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "machine_limits.h"
#include "race.h"

namespace spml {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMemoryBytes = size_t{256} << 20;  // beyond every cache

// Operations of a step: gradient and logits, two each per (row, weight); Adam, twelve per weight.
double operations(const Shape& s, size_t batch) {
  return static_cast<double>(s.labels * s.features) * (4.0 * static_cast<double>(batch) + 12);
}

// W, m and v of the weights: read and written once a step.
size_t weight_bytes(const Shape& s) { return s.labels * s.features * 3 * sizeof(float); }

struct Limits {
  double gflops, read;  // of the memory: bytes of the features
};

class Bench {
 public:
  Bench(bool json, int threads) : json_(json) {
    for (int t = 1; t <= threads; ++t) {
      limits_.push_back({peak_gflops(t), read_bandwidth(kMemoryBytes, t)});
      say("{} thread{}: peak {:.0f} GFLOP/s, memory read {:.1f} GB/s\n", t, t > 1 ? "s" : "",
          limits_.back().gflops, limits_.back().read);
      results_["limits"].push_back(
          {{"threads", t}, {"gflops", limits_.back().gflops}, {"read_gbs", limits_.back().read}});
    }
    results_["simd"] = simd_target();
  }

  void shape(const Shape& shape) {
    const Problem problem(shape);
    say("\n{}: N = {}, D = {}, L = {}. Microseconds of a step.\n", shape.name, shape.rows,
        shape.features, shape.labels);
    say("{:5} {:>2} {:>2} {:>8} {:>9} {:>6} {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} ({:>6} {:>6}) "
        "{:>5} {:>5} {:>5}\n",
        "loss", "B", "T", "spml", "LibTorch", "ratio", "flops", "cache", "memory", "labels", "pack",
        "pass", "update", "logits", "loss", "estim", "rest");
    for (const char* loss : {"an", "role"}) {
      for (const size_t batch : {8, 16}) {
        std::vector<double> seconds;
        for (size_t t = 1; t <= limits_.size(); ++t) {
          seconds.push_back(one(problem, {loss, batch, static_cast<int>(t)}));
        }
        if (seconds.size() == 2) {
          say("{:5} {:>2}    two threads over one: {:.2f}x\n", loss, batch,
              seconds[0] / seconds[1]);
        }
      }
    }
  }

  // ROLE's step must not grow with the number of rows.
  void rows(size_t features) {
    constexpr size_t kFew = 5'000, kMany = 1'000'000;
    const Problem few({"few rows", kFew, features, 20}), many({"many rows", kMany, features, 20});
    std::vector<double> few_seconds, many_seconds;
    for (int round = 0; round < 3; ++round) {
      few_seconds.push_back(warm_step_seconds(few, {"role"}));
      many_seconds.push_back(warm_step_seconds(many, {"role"}));
    }
    const double a = median(few_seconds), b = median(many_seconds);
    say("ROLE, B = 16, L = 20, D = {:4}: {:5.1f} us a step at N = {}, {:5.1f} us at N = {}: "
        "{:.2f}x\n",
        features, a * 1e6, kFew, b * 1e6, kMany, b / a);
    results_["rows"].push_back(
        {{"features", features}, {"few_us", a * 1e6}, {"many_us", b * 1e6}, {"ratio", b / a}});
  }

  void finish() const {
    if (json_) fmt::print("{}\n", results_.dump(2));
  }

 private:
  double one(const Problem& problem, const Setting& setting) {
    const Shape& shape = problem.shape;
    const RaceResult r = race(problem, setting);
    const auto threads = static_cast<size_t>(setting.threads);
    const Limits& limits = limits_[threads - 1];
    const double us = 1e6;
    // The weights live in some cache: what counts is its speed at their size.
    const double cache = update_bandwidth(weight_bytes(shape) / threads, setting.threads);
    const double flops_share = operations(shape, setting.batch) / r.ours / 1e9 / limits.gflops;
    const double cache_share = 2 * static_cast<double>(weight_bytes(shape)) / r.ours / 1e9 / cache;
    const double memory_share =
        static_cast<double>(setting.batch * shape.features * sizeof(float)) / r.ours / 1e9 /
        limits.read;
    const StepParts& p = r.parts;
    const double rest = r.ours - (p.labels + p.pack + p.pass + p.loss + p.estimates);
    const std::string rest_text =
        setting.threads == 1 ? fmt::format("{:.1f}", rest * us) : std::string("-");
    say("{:5} {:>2} {:>2} {:8.1f} {:9.1f} {:5.1f}x {:5.0f}% {:5.0f}% {:5.0f}% | {:6.1f} {:6.1f} "
        "{:6.1f} ({:6.1f} {:6.1f}) {:5.1f} {:5.1f} {:>5}\n",
        setting.loss, setting.batch, setting.threads, r.ours * us, r.torch * us, r.torch / r.ours,
        100 * flops_share, 100 * cache_share, 100 * memory_share, p.labels * us, p.pack * us,
        p.pass * us, p.update * us, p.logits * us, p.loss * us, p.estimates * us, rest_text);
    results_["steps"].push_back({{"shape", shape.name},
                                 {"loss", setting.loss},
                                 {"batch", setting.batch},
                                 {"threads", setting.threads},
                                 {"spml_us", r.ours * us},
                                 {"libtorch_us", r.torch * us},
                                 {"ratio", r.torch / r.ours},
                                 {"flops_share", flops_share},
                                 {"cache_share", cache_share},
                                 {"memory_share", memory_share},
                                 {"labels_us", p.labels * us},
                                 {"pack_us", p.pack * us},
                                 {"pass_us", p.pass * us},
                                 {"update_us", p.update * us},
                                 {"logits_us", p.logits * us},
                                 {"loss_us", p.loss * us},
                                 {"estimates_us", p.estimates * us}});
    return r.ours;
  }

  template <class... T>
  void say(fmt::format_string<T...> format, T&&... args) const {
    if (json_) return;
    fmt::print(format, std::forward<T>(args)...);
    std::fflush(stdout);
  }

  bool json_;
  std::vector<Limits> limits_;  // of 1 thread, of 2
  Json results_;
};

}  // namespace
}  // namespace spml

int main(int argc, char** argv) {
  CLI::App app("Linear training against a LibTorch loop and against the machine");
  bool json = false;
  int threads = 2;
  app.add_flag("--json", json, "Numbers instead of tables");
  app.add_option("--threads", threads, "Threads at most, 1 or 2")->check(CLI::Range(1, 2));
  CLI11_PARSE(app, argc, argv);
  spml::Bench bench(json, threads);
  bench.shape({"VOC12", 4'574, 2048, 20});
  bench.shape({"COCO", 65'665, 2048, 80});
  bench.rows(64);
  bench.rows(512);
  bench.finish();
}
