// spml observe
#include "data/observe.h"
#include "cli/flags/common_flags.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "base/fail.h"
#include "base/folders.h"
#include "cli/print_json.h"
#include "cli/verbs.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/folder_update.h"
#include "data/observe_bias.h"

namespace spml::cli {
namespace {

constexpr size_t kMaxJsonBytes = size_t{1} << 26;

struct Arguments {
  Common common;
  std::string folder;
  std::vector<std::string> bias = {"uniform"};
  std::string bias_weights;
  std::vector<std::string> scores;  // of the training rows, and of the other file's
  double strength = 1;
  ObserveOptions draw;
  bool force = false;
};

struct Part {
  std::string name;  // "train" or "val"
  LabelMatrix truth;
};

std::vector<std::string> class_names(const Path& folder, size_t labels) {
  const Path path = folder / "dataset.json";
  std::vector<std::string> names;
  if (path_exists(path)) {
    names = parse_dataset_json(read_file(path, kMaxJsonBytes), path.string()).classes;
  }
  if (names.empty()) {
    for (size_t j = 0; j < labels; ++j) names.push_back(fmt::format("label_{}", j));
  }
  return names;
}

// The weight of a class under the frequency bias, the same in both files.
std::vector<float> class_weights(const Arguments& arguments, const LabelMatrix& train) {
  if (arguments.bias_weights.empty()) return class_frequencies(train);
  return read_class_weights(arguments.bias_weights, class_names(arguments.folder, train.cols()));
}

// How one annotator chooses.
RowWeights weights_of(const std::string& bias, const Arguments& arguments, const Part& part,
                      const LabelMatrix& train) {
  const Path& folder = arguments.folder;
  const size_t labels = part.truth.cols();
  if (bias == "uniform") return class_bias(std::vector<float>(labels, 1));
  if (bias == "frequency") return class_bias(class_weights(arguments, train));
  if (bias == "rarity") {
    std::vector<float> weights = class_frequencies(train);
    for (float& weight : weights) weight = 1 / std::max(weight, 1.0F);
    return class_bias(std::move(weights));
  }
  if (bias == "prominence") {
    const size_t which = part.name == "train" ? 0 : 1;
    if (arguments.scores.size() <= which) {
      fail_usage(
          "--scores: expected two files, the scores of the training rows and those of the "
          "others, found {}",
          arguments.scores.size());
    }
    return score_bias(arguments.scores[which], arguments.strength, part.truth);
  }
  if (bias == "center") return box_bias(box_closeness_file(folder, part.name), part.truth);
  RowWeights areas = box_bias(box_area_file(folder, part.name), part.truth);
  return bias == "area" ? areas : only_largest(std::move(areas), part.truth);
}

LabelMatrix draw(const Arguments& arguments, const Part& part, const LabelMatrix& train) {
  if (arguments.bias == std::vector<std::string>{"uniform"}) {
    return draw_observed(part.truth, arguments.draw);
  }
  std::vector<RowWeights> annotators;
  for (const std::string& bias : arguments.bias) {
    annotators.push_back(weights_of(bias, arguments, part, train));
  }
  const RowWeights weights = annotators.size() == 1
                                 ? std::move(annotators.front())
                                 : mixed_bias(std::move(annotators), arguments.draw.seed);
  return draw_observed_weighted(part.truth, arguments.draw, weights);
}

void run(const Arguments& arguments) {
  if (!is_folder(arguments.folder)) {
    fail("{}: expected a data folder, found {}", arguments.folder,
         path_exists(arguments.folder) ? "a file" : "nothing of that name");
  }
  const auto lock = lock_data_folder(arguments.folder);
  refuse_unfinished(arguments.folder, "observe");
  std::vector<Part> parts;
  for (const char* name : {"train", "val"}) {
    LabelMatrix truth = open_labels(truth_file(arguments.folder, name));
    if (!truth.empty()) parts.push_back({name, std::move(truth)});
  }
  if (parts.empty()) {
    fail("{}: expected full labels to draw from, found none",
         truth_file(arguments.folder, "train").string());
  }
  for (const Part& part : parts) {
    const Path path = observed_file(arguments.folder, part.name);
    if (!arguments.force && path_exists(path)) {
      fail("{}: already exists; give --force to replace it", path.string());
    }
    check_truth(part.truth, arguments.common.threads);
    if (part.truth.cols() != parts.front().truth.cols()) {
      fail("{}: expected {} labels as in the training file, found {}", part.truth.source(),
           parts.front().truth.cols(), part.truth.cols());
    }
  }
  std::deque<NpyRowWriter> files;  // both are complete before the first is renamed
  for (const Part& part : parts) {
    files.emplace_back(observed_file(arguments.folder, part.name), DType::kI8, part.truth.rows(),
                       part.truth.cols());
    append_rows(files.back(), draw(arguments, part, parts.front().truth));
  }
  UnfinishedMark mark(arguments.folder, "observe");
  for (NpyRowWriter& file : files) file.finish();
  mark.lift();
  Json written = Json::array();
  for (const Part& part : parts) {
    const Path path = observed_file(arguments.folder, part.name);
    const size_t N = part.truth.rows(), L = part.truth.cols();
    written.push_back({{"file", path.string()}, {"rows", N}, {"labels", L}});
    if (!arguments.common.json) fmt::print("{}: {} x {} observed labels\n", path.string(), N, L);
  }
  if (arguments.common.json) {
    print_json({{"files", written},
                {"num_pos", arguments.draw.num_pos},
                {"num_neg", arguments.draw.num_neg},
                {"seed", arguments.draw.seed},
                {"complete_rows", arguments.draw.complete},
                {"bias", fmt::format("{}", fmt::join(arguments.bias, ","))}});
  }
}

}  // namespace

Verb observe_verb() {
  auto arguments = std::make_shared<Arguments>();
  return {.name = "observe",
          .summary = "Draw observed labels from full labels",
          .examples = {{"spml observe DIR --num-pos 1 --seed 1200",
                        "One positive per row, as the paper draws it"}},
          .positionals = {data_folder(arguments->folder)},
          .flags = {{.name = "num-pos",
                     .target = &arguments->draw.num_pos,
                     .help = "Positives to keep in each row"},
                    {.name = "num-neg",
                     .target = &arguments->draw.num_neg,
                     .help = "Negatives to keep in each row"},
                    {.name = "seed",
                     .target = &arguments->draw.seed,
                     .help = "Seed of the draw; the paper's is 1200"},
                    {.name = "complete-rows",
                     .target = &arguments->draw.complete,
                     .help = "Share of rows of which every label is observed",
                     .hint = "F",
                     .range = {0, 1}},
                    {.name = "bias",
                     .target = &arguments->bias,
                     .help = "How positives are chosen; several with commas divide the rows "
                             "among themselves at random",
                     .choices = {"uniform", "frequency", "rarity", "area", "largest", "center",
                                 "prominence"},
                     .commas = true},
                    {.name = "bias-weights",
                     .target = &arguments->bias_weights,
                     .help = "Weights of the classes, instead of their counts",
                     .hint = "FILE.(csv|json)",
                     .complete = Complete::kFile,
                     .needs = {{"bias", "frequency"}}},
                    {.name = "scores",
                     .target = &arguments->scores,
                     .help = "Scores of the training rows and of the other rows, N x L each",
                     .hint = "TRAIN.npy,VAL.npy",
                     .commas = true,
                     .complete = Complete::kFile,
                     .needs = {{"bias", "prominence"}}},
                    {.name = "strength",
                     .target = &arguments->strength,
                     .help = "A label weighs exp(X * score)",
                     .hint = "X",
                     .range = {0, 1e6},
                     .needs = {{"bias", "prominence"}}},
                    {.name = "force",
                     .target = &arguments->force,
                     .help = "Replace _obs files that exist",
                     .consent = true},
                    threads_flag(arguments->common)},
          .common = &arguments->common,
          .run = [arguments] { run(*arguments); }};
}

}  // namespace spml::cli
