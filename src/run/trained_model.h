// A finished run, read back for evaluation and prediction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decide/calibration.h"
#include "linear/linear_model.h"
#include "run/run_folder.h"
#include "settings/config.h"

namespace spml {

struct TrainedModel {
  Path folder;
  std::unique_ptr<LinearModel> model;
  std::vector<std::string> classes;  // L names
  Calibration calibration;           // from logits to probabilities
  std::vector<float> thresholds;     // (L), of those probabilities
  size_t features = 0;               // D
  TrainConfig config;                // that it was trained with
  bool refit = false;                // once more on train and val
  // Where its features come from: the network and image size at extraction, where known. A
  // fine-tuned run has its own network in model.safetensors (backbone.*).
  std::optional<FeatureOrigin> extraction;

  bool is_fine_tuned() const { return config.mode != Mode::kLinear; }
  std::vector<int> image_sizes() const;  // of the images it takes; Error when it does not know
};

// Error when the run is not finished or a file of it does not fit the others.
TrainedModel load_trained_model(const Path& run, int threads);

// Error unless the data has the labels the model was trained on and, if the model takes features,
// as many of them.
void check_fits(const TrainedModel& model, const Dataset& data);

// Rows and part of a split as the model was trained: train, val or test. Error for another name
// and where the data lacks it.
struct SplitRows {
  Part part = Part::kTest;
  std::vector<int32_t> rows;
};
SplitRows rows_of_split(const TrainedModel& model, const Dataset& data, std::string_view split);

}  // namespace spml
