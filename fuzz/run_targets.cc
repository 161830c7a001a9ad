// Experiments, and the files and folders that runs, sweeps and reproductions leave.
#include <sstream>

#include "fit/decisions.h"
#include "memory_file.h"
#include "report/collect.h"
#include "reproduce/definition.h"
#include "reproduce/experiment_result.h"
#include "run/trained_model.h"
#include "search/journal.h"
#include "sections.h"
#include "sweep/linear_start.h"
#include "sweep/sweep.h"
#include "targets.h"

namespace spml {
namespace {

FuzzFolder& folder() {
  static FuzzFolder shared;
  return shared;
}

const std::vector<std::string> kRunFiles = {"config.json",    "result.json",      "metrics.jsonl",
                                            "thresholds.npy", "calibration.json", "search.jsonl"};
const std::vector<std::string> kSweepFiles = {"best.json",         "results.jsonl",
                                              "run/config.json",   "run/result.json",
                                              "run/metrics.jsonl", "results.json"};

// Sections that are tensors or metadata, those of model.safetensors.
std::vector<Section> tensors_among(const std::vector<Section>& sections) {
  std::vector<Section> tensors;
  for (const Section& section : sections) {
    if (section.title.find(' ') != std::string::npos) tensors.push_back(section);
  }
  return tensors;
}

}  // namespace

bool fuzz_experiment_json(std::span<const std::byte> bytes) {
  return accepts([&] { parse_experiment(as_text(bytes), "mine", "mine.json"); });
}

bool fuzz_records(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  bool accepted = accepts([&] { read_epochs(file.path()); });
  accepted |= accepts([&] { read_search(file.path()); });
  accepted |= accepts([&] {
    std::istringstream in(read_file(file.path()));
    parse_journal(in, "search.part.jsonl");
  });
  // What was accepted can be written.
  const auto read = [&](auto reader) {
    accepted |= accepts([&] { json_text(reader(file.path())); });
  };
  read(read_run_setup);
  read(read_run_result);
  read(read_sweep_summary);
  read(read_reproduction);
  return accepted;
}

bool fuzz_calibration(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  return accepts([&] {
    const Calibration calibration = read_calibration(file.path(), 4);
    for (const float logit : {-1e30F, 0.0F, 1e30F}) {
      for (size_t j = 0; j < 4; ++j) calibration.probability(j, logit);
    }
  });
}

bool fuzz_run_folder(std::span<const std::byte> bytes) {
  const std::vector<Section> sections = split_sections(bytes);
  folder().fill(sections, kRunFiles);
  folder().put("model.safetensors", assemble_safetensors(tensors_among(sections)));
  accepts([&] { collect({folder().path()}); });
  return accepts([&] {
    const TrainedModel run = load_trained_model(folder().path(), 1);
    accepts([&] { run.image_sizes(); });
    const std::vector<float> row(run.features);
    const FeatureMatrix matrix(View<const float>{row.data(), 1, row.size()});
    std::vector<float> scores(run.classes.size());
    run.model->predict(matrix, std::vector<int32_t>{0}, 0, {scores.data(), 1, scores.size()});
  });
}

bool fuzz_sweep_folder(std::span<const std::byte> bytes) {
  folder().fill(split_sections(bytes), kSweepFiles);
  TrainConfig config;
  config.loss = "an";
  config.image.init = folder().path();
  accepts([&] { linear_starts().init_run(config); });
  return accepts([&] { collect({folder().path()}); });
}

}  // namespace spml
