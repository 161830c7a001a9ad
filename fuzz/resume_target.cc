// What a killed run left, or a stranger: a checkpoint of one process, or those of several with
// their list. Sections (sections.h): "checkpoint.json" is the list; "file NAME" begins a
// safetensors file, which the tensors and the metadata that follow make up.
#include "base/fail.h"
#include "data/observe.h"
#include "fit/session.h"
#include "memory_file.h"
#include "run/checkpoint.h"
#include "run/run_folder.h"
#include "sections.h"
#include "targets.h"

namespace spml {
namespace {

constexpr size_t kRows = 20, kLabels = 4, kFeatures = 2;

Dataset small_data() {
  std::vector<int8_t> truth(kRows * kLabels);
  std::vector<float> features(kRows * kFeatures);
  for (size_t i = 0; i < kRows; ++i) {
    truth[i * kLabels + i % kLabels] = 1;
    features[i * kFeatures + i % kFeatures] = 1;
  }
  Dataset data;
  data.train_file.truth = LabelMatrix(truth, kRows, kLabels);
  data.train_file.observed = draw_observed(data.train_file.truth, {});
  data.train_file.features = FeatureMatrix(features, kRows, kFeatures);
  check_dataset(data);
  return data;
}

TrainConfig small_config() {
  TrainConfig config;
  config.loss = "role";
  config.batch = 4;
  config.epochs = 2;
  return config;
}

void put_files(FuzzFolder& folder, const std::vector<Section>& sections) {
  constexpr std::string_view kBegin = "file ";
  folder.fill(sections, {"checkpoint.json"});
  for (auto at = sections.begin(); at != sections.end();) {
    const auto begin = at++;
    if (!begin->title.starts_with(kBegin)) continue;
    std::vector<Section> tensors;
    for (; at != sections.end() && !at->title.starts_with(kBegin); ++at) tensors.push_back(*at);
    const std::string name = begin->title.substr(kBegin.size());
    if (name == "checkpoint.safetensors" || is_checkpoint_part(name)) {
      folder.put(name, assemble_safetensors(tensors));
    }
  }
}

}  // namespace

bool fuzz_resume(std::span<const std::byte> bytes) {
  static FuzzFolder folder;
  static const Dataset kData = small_data();
  put_files(folder, split_sections(bytes));
  return accepts([&] {
    Session session(kData, small_config(), 1);
    const RunIdentity identity{small_config(), "", ""};
    const Trainee trainee{session.loop.state(), *session.model, session.estimator.get(),
                          session.memory.get(), session.part};
    if (!load_checkpoint(RunFolder{folder.path()}, identity, trainee)) fail("nothing to resume");
    session.loop.run({});
  });
}

}  // namespace spml
