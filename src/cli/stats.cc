// spml stats
#include "data/stats.h"
#include "cli/flags/common_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "cli/print_json.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder;
};

Json to_json(const PerRow& per_row) {
  return {{"min", per_row.min}, {"max", per_row.max}, {"mean", per_row.mean}};
}

Json to_json(const PartStats& stats) {
  Json json = {{"rows", stats.rows}, {"labels", stats.labels}};
  json["positives_per_row"] = stats.truth ? to_json(stats.truth->per_row) : Json();
  json["observed_per_row"] = to_json(stats.observed);
  json["observed_drawn"] = stats.observed_drawn;
  json["rows_without_positive"] = stats.rows_without_positive;
  json["class_counts"] = stats.truth ? Json(stats.truth->class_counts) : Json();
  json["observed_counts"] = stats.observed_counts;
  json["rows_by_positives"] = stats.truth ? Json(stats.truth->rows_by_count) : Json();
  return json;
}

void print_summary(const char* name, const PartStats& stats) {
  const auto columns = [](const PerRow& x) {
    return fmt::format("{:>4} {:>4} {:>6.2f}", x.min, x.max, x.mean);
  };
  fmt::print("{:<6} {:>8} {:>6}  {}  {}{} {:>12}\n", name, stats.rows, stats.labels,
             stats.truth ? columns(stats.truth->per_row) : fmt::format("{:>16}", "-"),
             columns(stats.observed), stats.observed_drawn ? "*" : " ",
             stats.rows_without_positive);
}

std::string bar(size_t count, size_t largest) {
  constexpr size_t kWidth = 40;
  return std::string(largest == 0 ? 0 : count * kWidth / largest, '#');
}

void print_classes(const std::vector<size_t>& counts, const std::vector<std::string>& classes) {
  std::vector<size_t> order(classes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t j) { return counts[j]; });
  for (const size_t j : order) {
    fmt::print("{:<24} {:>8} {}\n", printable(classes[j]), counts[j],
               bar(counts[j], counts[order[0]]));
  }
}

void print_rows_by_positives(const LabelStats& stats) {
  fmt::print("\nPositives per row in the training file\n");
  const size_t most_rows = std::ranges::max(stats.rows_by_count);
  for (size_t c = 0; c < stats.rows_by_count.size(); ++c) {
    fmt::print("{:>5} {:>8} {}\n", c, stats.rows_by_count[c],
               bar(stats.rows_by_count[c], most_rows));
  }
}

void run(const Arguments& arguments) {
  const Dataset data =
      open_dataset(arguments.folder, {.load_features = false, .threads = arguments.common.threads});
  const PartStats train = part_stats(data.train_file);
  std::optional<PartStats> test;
  if (data.test.labels() > 0) test = part_stats(data.test);
  if (arguments.common.json) {
    print_json({{"train_file", to_json(train)}, {"test_file", test ? to_json(*test) : Json()}});
    return;
  }
  fmt::print("{:<6} {:>8} {:>6}  {:^16}  {:^16} {:>13}\n", "", "", "", "positives/row",
             "observed/row", "rows without");
  fmt::print("{:<6} {:>8} {:>6}  {:>4} {:>4} {:>6}  {:>4} {:>4} {:>6}  {:>12}\n", "file", "rows",
             "labels", "min", "max", "mean", "min", "max", "mean", "positive");
  print_summary("train", train);
  if (test) print_summary("test", *test);
  if (train.observed_drawn || (test && test->observed_drawn)) {
    fmt::print("* no _obs file: as it would be drawn\n");
  }
  if (train.truth) {
    print_rows_by_positives(*train.truth);
    fmt::print("\nRows per class in the training file\n");
    print_classes(train.truth->class_counts, data.classes);
  } else {
    fmt::print("\nRows per class in the training file, as observed\n");
    print_classes(train.observed_counts, data.classes);
  }
}

}  // namespace

Verb stats_verb() {
  auto arguments = std::make_shared<Arguments>();
  return {.name = "stats",
          .summary = "Labels per row and per class of a data folder",
          .positionals = {data_folder(arguments->folder)},
          .flags = {threads_flag(arguments->common)},
          .common = &arguments->common,
          .run = [arguments] { run(*arguments); }};
}

}  // namespace spml::cli
