// What a trained model is asked about: rows of a feature matrix.
#pragma once

#include "imaging/image_features.h"

namespace spml {

struct ModelInput {
  std::shared_ptr<const FeatureMatrix> features;
  std::vector<int32_t> rows;
};

// All rows of a matrix.
ModelInput all_rows(FeatureMatrix features);

// Rows of a part of the data, which must outlive the result: the part's own features, or what a
// fine-tuned run's network makes of its images.
ModelInput model_input(const TrainedModel& trained, const Dataset& data, const DataPart& part,
                       std::vector<int32_t> rows, const ImageWork& work);

}  // namespace spml
