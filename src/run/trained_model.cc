#include "run/trained_model.h"

#include <cmath>

#include "base/fail.h"
#include "base/folders.h"
#include "data/split.h"
#include "fit/decisions.h"
#include "fit/session.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "run/run_record.h"

namespace spml {
namespace {

TransformKind kind_of(const SafetensorsFile& file) {
  const auto name = file.metadata().find("transform");
  if (name == file.metadata().end()) return TransformKind::kNone;
  try {
    return transform_kind(name->second);
  } catch (const Error& error) {
    fail("{}: {}", file.path().string(), error.what());  // of a file, not of the command line
  }
}

FeatureTransform transform_of(const SafetensorsFile& file, size_t features) {
  FeatureTransform transform;
  transform.kind = kind_of(file);
  if (transform.kind == TransformKind::kStandardize) {
    for (const char* name : {"transform.mean", "transform.inverse_scale"}) {
      if (file.tensor(name).elements() == features) continue;
      fail("{}: expected {} transform statistics", file.path().string(), features);
    }
    transform.mean = file.floats("transform.mean");
    transform.inverse_scale = file.floats("transform.inverse_scale");
  }
  return transform;
}

void expect_finite(std::span<const float> values, const Path& file, std::string_view what) {
  for (const float value : values) {
    if (!std::isfinite(value)) {
      fail("{}: expected finite numbers in {}, found {}", file.string(), what, value);
    }
  }
}

[[noreturn]] void fail_no_run(const Path& path) {
  if (!path_exists(path)) {
    fail("{}: expected the folder of a run, found nothing there; check the path", path.string());
  }
  if (path_exists(path / "best.json")) {
    fail(
        "{}: expected a run, found a sweep; its best.json names the folder of each winner, "
        "{}/runs/...",
        path.string(), path.string());
  }
  fail("{}: expected a finished run, found no result.json; train it, or continue it with --resume",
       path.string());
}

// How the classes differ, in words.
std::string class_difference(const std::vector<std::string>& expected,
                             const std::vector<std::string>& found) {
  if (expected.size() != found.size()) {
    return fmt::format("expected the {} classes the model was trained on, found {}",
                       expected.size(), found.size());
  }
  size_t j = 0;
  while (expected[j] == found[j]) ++j;
  return fmt::format(
      "expected the classes the model was trained on, found class {} to be '{}' instead of '{}'", j,
      found[j].substr(0, 100), expected[j].substr(0, 100));
}

}  // namespace

TrainedModel load_trained_model(const Path& run, int threads) {
  const RunFolder folder{run};
  if (!path_exists(folder.result())) fail_no_run(run);
  RunSetup setup = read_run_setup(folder.config());
  const RunResult result = read_run_result(folder.result());
  TrainedModel trained;
  trained.folder = run;
  trained.classes = std::move(setup.classes);
  trained.config = std::move(setup.identity.config);
  trained.config.k_is_estimated = result.k_from == "observed";
  trained.extraction = std::move(setup.extraction);
  trained.refit = result.refit;
  const size_t labels = trained.classes.size();
  if (labels == 0) fail("{}: expected at least one class, found none", folder.config().string());

  const SafetensorsFile file(folder.model());
  const auto& shape = file.tensor("classifier.weight").shape;
  if (shape.size() != 2 || shape[0] != labels || shape[1] == 0 ||
      file.tensor("classifier.bias").elements() != labels) {
    fail("{}: expected classifier.weight of {} rows and as many biases", folder.model().string(),
         labels);
  }
  trained.features = shape[1];
  const auto weight = file.floats("classifier.weight"), bias = file.floats("classifier.bias");
  const FeatureTransform transform = transform_of(file, shape[1]);
  expect_finite(weight, folder.model(), "classifier.weight");
  expect_finite(bias, folder.model(), "classifier.bias");
  expect_finite(transform.mean, folder.model(), "transform.mean");
  expect_finite(transform.inverse_scale, folder.model(), "transform.inverse_scale");
  LinearConfig config;
  config.features = shape[1];
  config.labels = labels;
  config.threads = threads;
  trained.model = std::make_unique<LinearModel>(config, transform, nullptr, nullptr);
  trained.model->set_weights(weight, bias);

  if (path_exists(folder.calibration())) {
    trained.calibration = read_calibration(folder.calibration(), labels);
  } else if (!result.thresholds_from.empty()) {
    fail("{}: expected the run's calibration, found no such file; restore it, or train again",
         folder.calibration().string());
  } else {  // a run of version 0.1: its thresholds are of plain sigmoids
    trained.calibration = {std::vector<double>(labels, 1), std::vector<double>(labels, 0)};
  }
  const NpyArray thresholds(folder.thresholds());
  if (thresholds.rows() != 1 || thresholds.cols() != labels) {
    fail("{}: expected {} thresholds in one row, found {} x {} numbers",
         folder.thresholds().string(), labels, thresholds.rows(), thresholds.cols());
  }
  trained.thresholds.resize(labels);
  thresholds.read_row(0, std::span(trained.thresholds));
  expect_finite(trained.thresholds, folder.thresholds(), "it");
  return trained;
}

std::vector<int> TrainedModel::image_sizes() const {
  if (is_fine_tuned()) return {config.image.size};
  if (extraction) return extraction->sizes;
  fail(
      "{}: it does not say which network made its features, so images cannot be scored; make them "
      "with `spml extract` and train again",
      folder.string());
}

void check_fits(const TrainedModel& model, const Dataset& data) {
  if (data.classes != model.classes) {
    fail("{}: {}; import the data with --classes in the model's order, or train on it",
         data.folder.string(), class_difference(model.classes, data.classes));
  }
  for (const DataPart* part : {&data.train_file, &data.test}) {
    if (!model.is_fine_tuned() && !part->features.empty() &&
        part->features.cols() != model.features) {
      fail("{}: expected {} features, as the model has, found {}", part->features.source(),
           model.features, part->features.cols());
    }
  }
}

SplitRows rows_of_split(const TrainedModel& model, const Dataset& data, std::string_view split) {
  if (split == "test") {
    const bool missing =
        model.is_fine_tuned() ? data.test.images.empty() : data.test.features.empty();
    if (missing) {
      fail("{}: no test {}; choose --split train or val", data.folder.string(),
           model.is_fine_tuned() ? "images (formatted_val_images.npy)"
                                 : "features (val_features_imagenet_resnet50.npy)");
    }
    return {Part::kTest, all_rows(data.test)};
  }
  Split rows =
      split_rows(data.train_file.rows(), model.config.val_fraction, model.config.split_seed);
  if (split == "train") return {Part::kTrainFile, std::move(rows.train)};
  if (split == "val") return {Part::kTrainFile, std::move(rows.val)};
  fail_usage("expected a split of train, val or test, found '{}'", split);
}

}  // namespace spml
