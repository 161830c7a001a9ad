#include "cli/review_flags.h"

#include <filesystem>

#include "base/folders.h"
#include "cli/progress.h"
#include "cli/serve_review.h"
#include "cli/thumbnail.h"
#include "data/dataset.h"
#include "data/synth.h"
#include "imaging/scene_painter.h"
#include "run/run.h"

namespace spml::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRows = 800, kLabels = 20;
constexpr int kImageSize = 420;

// What draw_scene() draws for 20 labels: five shapes in four hues.
std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const char* hue : {"red", "green", "cyan", "purple"}) {
    for (const char* shape : {"disc", "square", "triangle", "ring", "cross"}) {
      names.push_back(std::string(hue) + " " + shape);
    }
  }
  return names;
}

// Features and, in builds with images, scenes that show the same labels.
void make_data(const Path& folder, const Common& common) {
  if (path_exists(folder / "dataset.json")) return;  // written last
  SynthOptions options;
  options.rows = kRows;
  options.labels = kLabels;
  options.expected_positives = 2.2;
  options.threads = common.threads;
  const Path draft = folder.string() + ".new";
  std::error_code ignored;  // writing names whatever is in the way
  fs::remove_all(draft, ignored);
  make_folder(draft);
  write_synthetic(draft, options);
  if (thumbnail_maker()) {  // a build with images
    const Path scenes = folder.string() + ".scenes";
    fs::remove_all(scenes, ignored);
    make_folder(scenes);
    write_synthetic(scenes, options, scene_painter(kImageSize, options.seed));
    for (const char* part : {"train", "val"}) {
      rename_path(images_file(scenes, part), images_file(draft, part));
    }
    rename_path(scenes / "images", draft / "images");
    rename_path(scenes / "dataset.json", draft / "dataset.json");
    fs::remove_all(scenes, ignored);
  }
  const Path json = draft / "dataset.json";
  DatasetInfo info = parse_dataset_json(read_file(json), json.string());
  info.name = "drawn scenes";
  info.classes = class_names();
  write_file(json, to_json(info));
  rename_path(draft, folder);
}

void train(const Path& data, const Path& run, const Common& common) {
  TrainConfig config;
  config.loss = "role";
  config.epochs = 15;
  RunOptions options;
  options.out = run;
  options.existing = Existing::kResume;
  options.threads = common.threads;
  RunEvents events;
  events.stop_requested = interrupted;
  run_training(open_dataset(data), config, options, events);
}

}  // namespace

void demo_review(const Path& folder, const ServeFlags& flags, const Common& common) {
  make_folder(folder);
  if (!common.quiet) notice("drawing scenes and training a classifier on one label of each");
  catch_interrupt();
  make_data(folder / "scenes", common);
  train(folder / "scenes", folder / "scenes-run", common);
  review::ReviewOptions options;
  options.data = folder / "scenes";
  options.run = folder / "scenes-run";
  options.out = folder / "review";
  serve_review(options, flags, common);
}

}  // namespace spml::cli
