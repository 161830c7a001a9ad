// Images -> the features that a trained run was made for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "imaging/network_choice.h"
#include "run/trained_model.h"

namespace spml {

struct ImageWork {
  int threads = 1;
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<void(const std::string&)> notice;  // what people should know
};

// The features of images as the run's network computes them: its own if it was fine-tuned, else the
// one that its training features were made with; another is refused.
FeatureMatrix features_of_images(const TrainedModel& run, const std::vector<Path>& images,
                                 const NetworkChoice& choice, const ImageWork& work);

}  // namespace spml
