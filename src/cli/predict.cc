// spml predict
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <numeric>

#include "base/fail.h"
#include "base/sigmoid.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "experiment/trained_model.h"
#include "formats/npy.h"

namespace spml::cli {
namespace {

constexpr size_t kRowsAtOnce = 1024;

struct Options {
  Common common;
  std::string run, data, split = "test", features, out, threshold;
  size_t top = 0;
  bool force = false;
};

// What is predicted for: rows of a matrix and what each is called in the output.
struct Source {
  Dataset data;
  FeatureMatrix own;
  const FeatureMatrix* features = nullptr;
  const NpyArray* images = nullptr;
  std::vector<int32_t> rows;

  std::string name(size_t i) const {
    const auto row = static_cast<size_t>(rows[i]);
    return images != nullptr && !images->empty() ? images->text(row) : std::to_string(row);
  }
};

void open_source(const Options& options, const TrainedModel& trained, Source& source) {
  if (!options.features.empty()) {
    source.own = FeatureMatrix(NpyArray(options.features));
    source.own.check_finite(options.common.threads);
    if (source.own.cols() != trained.features) {
      fail("{}: expected {} features, as the model has, found {}", options.features,
           trained.features, source.own.cols());
    }
    source.features = &source.own;
    source.rows.resize(source.own.rows());
    std::iota(source.rows.begin(), source.rows.end(), 0);
    return;
  }
  DatasetOptions data_options;
  data_options.need_features = true;
  data_options.threads = options.common.threads;
  source.data = open_dataset(options.data, data_options);
  check_fits(trained, source.data);
  SplitRows split = rows_of_split(trained, source.data, options.split);
  const DataPart& part = split.part == Part::kTest ? source.data.test : source.data.train_file;
  source.features = &part.features;
  source.images = &part.images;
  source.rows = std::move(split.rows);
}

// The smallest score of each class that is written; 0 keeps all.
std::vector<float> cut_offs(const Options& options, const TrainedModel& trained) {
  const size_t labels = trained.classes.size();
  if (options.threshold.empty()) return std::vector<float>(labels, 0.0f);
  if (options.threshold == "tuned") return trained.thresholds;
  float value = 0;
  const char* end = options.threshold.data() + options.threshold.size();
  const auto parsed = std::from_chars(options.threshold.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0 && value <= 1)) {
    fail_usage("--threshold: expected a number from 0 to 1 or 'tuned', found '{}'",
               options.threshold);
  }
  return std::vector<float>(labels, value);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
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
void for_blocks(TrainedModel& trained, const Source& source, const Body& body) {
  const size_t labels = trained.classes.size();
  std::vector<float> scores(kRowsAtOnce * labels);
  for (size_t begin = 0; begin < source.rows.size(); begin += kRowsAtOnce) {
    const size_t n = std::min(kRowsAtOnce, source.rows.size() - begin);
    const View<float> out{scores.data(), n, labels};
    trained.model->predict(*source.features, std::span(source.rows).subspan(begin, n), 0, out);
    sigmoid_in_place(out.flat());
    body(begin, View<const float>(out));
  }
}

void write_text(const Options& options, TrainedModel& trained, const Source& source, bool csv) {
  const std::vector<float> cuts = cut_offs(options, trained);
  AtomicFile file(options.out);
  if (csv) file.write("image_or_row,class,score\n");
  for_blocks(trained, source, [&](size_t begin, View<const float> scores) {
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
  if (options.top > 0 || !options.threshold.empty()) {
    fail_usage(
        "--top and --threshold choose what a csv or jsonl file lists; a .npy file holds "
        "every score");
  }
  NpyRowWriter writer(options.out, DType::kF32, source.rows.size(), trained.classes.size());
  for_blocks(trained, source, [&](size_t, View<const float> scores) {
    for (size_t i = 0; i < scores.rows; ++i) writer.append({scores.row(i), scores.cols});
  });
  writer.finish();
}

void predict(const Options& options) {
  if (options.data.empty() == options.features.empty()) {
    fail_usage("expected exactly one of --data and --features");
  }
  const std::string extension = Path(options.out).extension().string();
  if (extension != ".csv" && extension != ".jsonl" && extension != ".npy") {
    fail_usage("--out: expected a name ending in .csv, .jsonl or .npy, found '{}'", options.out);
  }
  if (std::filesystem::exists(options.out) && !options.force) {
    fail("{}: the file exists; give --force to replace it", options.out);
  }
  TrainedModel trained = load_trained_model(options.run, options.common.threads);
  Source source;
  open_source(options, trained, source);
  if (extension == ".npy") {
    write_matrix(options, trained, source);
  } else {
    write_text(options, trained, source, extension == ".csv");
  }
  if (options.common.json) {
    Json json;
    json["rows"] = source.rows.size();
    json["labels"] = trained.classes.size();
    json["out"] = options.out;
    print_json(json);
  } else {
    fmt::print("{} rows scored; written to {}\n", source.rows.size(), options.out);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App& verb = add_verb(app, "predict", "Scores of a trained classifier for other examples");
  auto options = std::make_shared<Options>();
  verb.add_option("run", options->run, "The run folder")->required()->type_name("RUN");
  verb.add_option("--data", options->data, "A data folder")->type_name("DIR");
  verb.add_option("--split", options->split, "With --data: train, val or test")
      ->check(CLI::IsMember({"train", "val", "test"}))
      ->capture_default_str();
  verb.add_option("--features", options->features, "A feature matrix")->type_name("F.npy");
  verb.add_option("--top", options->top, "List only the K best labels of each row")->type_name("K");
  verb.add_option("--threshold", options->threshold,
                  "List only labels that score at least T, or at least their tuned threshold")
      ->type_name("T|tuned");
  verb.add_option("--out", options->out, "Where to write: .csv, .jsonl or .npy")
      ->required()
      ->type_name("FILE");
  verb.add_flag("--force", options->force, "Replace the file if it exists");
  add_threads(verb, options->common);
  add_json(verb, options->common);
  verb.callback([options] { predict(*options); });
}

}  // namespace spml::cli
