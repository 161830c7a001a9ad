// spml predict
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/fail.h"
#include "base/folders.h"
#include "base/sigmoid.h"
#include "cli/flags/common_flags.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/verbs.h"
#include "data/import/images.h"
#include "formats/csv.h"
#include "formats/npy.h"
#include "imaging/model_input.h"
#include "run/trained_model.h"

namespace spml::cli {
namespace {

// Rows scored at once, fewer where they have many labels.
constexpr size_t kRowsAtOnce = 1024, kScoresAtOnce = size_t{8} << 20;

struct Options {
  Common common;
  std::string run, data, split = "test", features, out, threshold;
  std::vector<std::string> images;
  NetworkChoice network;
  size_t top = 0;
  bool force = false, raw = false, all = false, decisions = false;
};

// What is predicted for, and what each row is called in the output.
struct Source {
  Dataset data;
  ModelInput input;
  std::vector<std::string> names;  // empty: the numbers of the rows

  std::string name(size_t i) const {
    return names.empty() ? std::to_string(input.rows[i]) : names[i];
  }
};

// Files as they are, folders as the JPEG and PNG files in and below them, sorted.
std::vector<Path> list_images(const std::vector<std::string>& paths) {
  std::vector<Path> files;
  for (const std::string& path : paths) {
    if (!is_folder(path)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<Path> found;
    for (const Path& file : list_files_below(path)) {
      if (has_image_extension(file)) found.push_back(file);
    }
    if (found.empty()) fail("{}: expected .jpg, .jpeg or .png files, found none", path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

void open_features(const Options& options, const TrainedModel& trained, Source& source) {
  FeatureMatrix features{NpyArray(options.features)};
  features.check_finite(options.common.threads);
  if (features.cols() != trained.features) {
    fail("{}: expected {} features, as the model has, found {}", options.features, trained.features,
         features.cols());
  }
  source.input = all_rows(std::move(features));
}

void open_images(const Options& options, const TrainedModel& trained, Source& source) {
  const std::vector<Path> files = list_images(options.images);
  source.input = with_image_work(options.common, [&](const ImageWork& work) {
    return all_rows(features_of_images(trained, files, options.network, work));
  });
  for (const Path& file : files) source.names.push_back(file.string());
}

void open_data(const Options& options, const TrainedModel& trained, Source& source) {
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = !trained.is_fine_tuned();
  data_options.threads = options.common.threads;
  source.data = open_dataset(options.data, data_options);
  check_fits(trained, source.data);
  const SplitRows split = rows_of_split(trained, source.data, options.split);
  const DataPart& part = split.part == Part::kTest ? source.data.test : source.data.train_file;
  source.input = with_image_work(options.common, [&](const ImageWork& work) {
    return model_input(trained, source.data, part, split.rows, work);
  });
  for (const int32_t row : split.rows) {
    source.names.push_back(part.images.empty() ? std::to_string(row)
                                               : part.images.text(static_cast<size_t>(row)));
  }
}

// The smallest score of each class that is written: the run's thresholds unless told otherwise; 0
// keeps all.
std::vector<float> cut_offs(const Options& options, const TrainedModel& trained) {
  const size_t labels = trained.classes.size();
  if (options.threshold == "tuned") return trained.thresholds;
  if (options.threshold.empty()) {
    if (options.all || options.top > 0) return std::vector<float>(labels, 0.0f);
    return trained.thresholds;
  }
  float value = 0;
  const char* end = options.threshold.data() + options.threshold.size();
  const auto parsed = std::from_chars(options.threshold.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0 && value <= 1)) {
    fail_usage("--threshold: expected a number from 0 to 1 or 'tuned', found '{}'",
               options.threshold);
  }
  return std::vector<float>(labels, value);
}

// Labels of a row that are written, best first, ties by the lower index.
std::vector<size_t> chosen_labels(std::span<const float> scores, const std::vector<float>& cuts,
                                  size_t top) {
  std::vector<size_t> order;
  for (size_t j = 0; j < scores.size(); ++j) {
    if (scores[j] >= cuts[j]) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

std::string csv_rows(const std::string& name, std::span<const float> scores,
                     const std::vector<size_t>& chosen, const TrainedModel& trained) {
  std::string text;
  for (const size_t j : chosen) {
    text += fmt::format("{},{},{}\n", csv_field(name), csv_field(trained.classes[j]), scores[j]);
  }
  return text;
}

std::string json_row(const std::string& name, std::span<const float> scores,
                     const std::vector<size_t>& chosen, const TrainedModel& trained) {
  Json json;
  json["image_or_row"] = name;
  json["labels"] = Json::array();
  for (const size_t j : chosen) {
    json["labels"].push_back({{"class", trained.classes[j]}, {"score", scores[j]}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Calls body(first row, probabilities) for blocks of rows.
template <class Body>
void for_blocks(TrainedModel& trained, const Source& source, bool raw, const Body& body) {
  const size_t labels = trained.classes.size();
  const size_t at_once = std::clamp<size_t>(kScoresAtOnce / labels, 1, kRowsAtOnce);
  std::vector<float> scores(at_once * labels);
  const ModelInput& input = source.input;
  for (size_t begin = 0; begin < input.rows.size(); begin += at_once) {
    const size_t n = std::min(at_once, input.rows.size() - begin);
    const View<float> out{scores.data(), n, labels};
    trained.model->predict(*input.features, std::span(input.rows).subspan(begin, n), 0, out);
    if (raw) {
      sigmoid_in_place(out.flat());
    } else {
      trained.calibration.apply(0, out);
    }
    body(begin, View<const float>(out));
  }
}

void write_text(const Options& options, TrainedModel& trained, const Source& source, bool csv) {
  const std::vector<float> cuts = cut_offs(options, trained);
  AtomicFile file(options.out);
  if (csv) file.write("image_or_row,class,score\n");
  for_blocks(trained, source, options.raw, [&](size_t begin, View<const float> scores) {
    std::string text;
    for (size_t i = 0; i < scores.rows; ++i) {
      const std::span<const float> row(scores.row(i), scores.cols);
      const auto chosen = chosen_labels(row, cuts, options.top);
      text += (csv ? csv_rows : json_row)(source.name(begin + i), row, chosen, trained);
    }
    file.write(text);
  });
  file.commit();
}

void write_matrix(const Options& options, TrainedModel& trained, const Source& source) {
  if (options.top > 0 || !options.threshold.empty() || options.all) {
    fail_usage(
        "--top, --threshold and --all choose what a csv or jsonl file lists; a .npy file holds "
        "every label");
  }
  const size_t rows = source.input.rows.size(), labels = trained.classes.size();
  if (options.decisions) {
    NpyRowWriter writer(options.out, DType::kI8, rows, labels);
    std::vector<int8_t> decided(labels);
    for_blocks(trained, source, false, [&](size_t, View<const float> scores) {
      for (size_t i = 0; i < scores.rows; ++i) {
        for (size_t j = 0; j < labels; ++j) decided[j] = scores(i, j) >= trained.thresholds[j];
        writer.append(decided);
      }
    });
    writer.finish();
    return;
  }
  NpyRowWriter writer(options.out, DType::kF32, rows, labels);
  for_blocks(trained, source, options.raw, [&](size_t, View<const float> scores) {
    for (size_t i = 0; i < scores.rows; ++i) writer.append({scores.row(i), scores.cols});
  });
  writer.finish();
}

void predict(const Options& options) {
  if (!options.data.empty() + !options.features.empty() + !options.images.empty() != 1) {
    fail_usage("expected exactly one of --data, --features and --images");
  }
  const std::string extension = Path(options.out).extension().string();
  if (extension != ".csv" && extension != ".jsonl" && extension != ".npy") {
    fail_usage("--out: expected a name ending in .csv, .jsonl or .npy, found '{}'", options.out);
  }
  if (options.decisions && (extension != ".npy" || options.raw)) {
    fail_usage("--decisions writes 0 and 1 to a .npy file, by calibrated probabilities");
  }
  const bool stored = options.threshold == "tuned" ||
                      (options.threshold.empty() && !options.all && options.top == 0);
  if (options.raw && extension != ".npy" && stored) {
    fail_usage(
        "--raw: the stored thresholds are of calibrated probabilities; give --all, --top K or a "
        "number as --threshold");
  }
  if (path_exists(options.out) && !options.force) {
    fail("{}: already exists; give --force to replace it", options.out);
  }
  TrainedModel trained = load_trained_model(options.run, options.common.threads);
  Source source;
  if (!options.features.empty()) open_features(options, trained, source);
  if (!options.images.empty()) open_images(options, trained, source);
  if (!options.data.empty()) open_data(options, trained, source);
  if (extension == ".npy") {
    write_matrix(options, trained, source);
  } else {
    write_text(options, trained, source, extension == ".csv");
  }
  if (options.common.json) {
    Json json;
    json["rows"] = source.input.rows.size();
    json["labels"] = trained.classes.size();
    json["out"] = options.out;
    print_json(json);
  } else {
    fmt::print("{} rows scored; written to {}\n", source.input.rows.size(), options.out);
  }
}

}  // namespace

Verb predict_verb() {
  auto options = std::make_shared<Options>();
  std::vector<Flag> flags = {
      {.name = "data",
       .target = &options->data,
       .help = "A data folder",
       .hint = "DIR",
       .complete = Complete::kFolder},
      {.name = "split",
       .target = &options->split,
       .help = "With --data: the rows to score",
       .choices = {"train", "val", "test"}},
      {.name = "features",
       .target = &options->features,
       .help = "A feature matrix",
       .hint = "F.npy",
       .complete = Complete::kFile},
      {.name = "images",
       .target = &options->images,
       .help = "JPEG and PNG files, and folders of them; another flag ends the list",
       .hint = "PATH...",
       .several = true,
       .complete = Complete::kFile}};
  add_network_flags(flags, options->network);
  const std::vector<Flag> more = {
      {.name = "top",
       .target = &options->top,
       .help = "List the K best labels of each row, whatever they score",
       .hint = "K",
       .range = {1, 1e6},
       .default_text = "those at or above their threshold"},
      {.name = "all",
       .target = &options->all,
       .help = "List every label",
       .excludes = {"top", "threshold"}},
      {.name = "raw",
       .target = &options->raw,
       .help = "The sigmoid of the scores instead of calibrated probabilities"},
      {.name = "decisions",
       .target = &options->decisions,
       .help = "Write 1 for labels at or above their threshold and 0 for others (.npy)"},
      {.name = "threshold",
       .target = &options->threshold,
       .help = "List labels that score at least T, or at least their stored threshold (tuned)",
       .hint = "T|tuned",
       .offers = {"tuned"}},
      {.name = "out",
       .target = &options->out,
       .help = "Where to write: .csv, .jsonl or .npy",
       .hint = "FILE",
       .required = true,
       .complete = Complete::kFile},
      {.name = "force",
       .target = &options->force,
       .help = "Replace the file if it exists",
       .consent = true},
      threads_flag(options->common)};
  flags.insert(flags.end(), more.begin(), more.end());
  return {.name = "predict",
          .summary = "Score examples with a trained classifier",
          .examples = {{"spml predict run --data voc12 --top 3 --out top3.csv",
                        "The three best labels of every test row"},
                       {"spml predict run --images photos --out photos.jsonl",
                        "Label a folder of images"}},
          .positionals = {run_folder(options->run)},
          .flags = std::move(flags),
          .common = &options->common,
          .run = [options] { predict(*options); }};
}

}  // namespace spml::cli
