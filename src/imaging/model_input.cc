#include "imaging/model_input.h"

#include <numeric>

#include "base/fail.h"
#include "base/memory_budget.h"

namespace spml {

ModelInput all_rows(FeatureMatrix features) {
  if (features.rows() > kMaxRows) {
    fail("expected at most {} rows of features, found {}", kMaxRows, features.rows());
  }
  MemoryBudget().require(saturating_product(features.rows(), sizeof(int32_t)), "scoring every row");
  ModelInput input;
  input.rows.resize(features.rows());
  std::iota(input.rows.begin(), input.rows.end(), 0);
  input.features = std::make_shared<FeatureMatrix>(std::move(features));
  return input;
}

ModelInput model_input(const TrainedModel& trained, const Dataset& data, const DataPart& part,
                       std::vector<int32_t> rows, const ImageWork& work) {
  if (trained.is_fine_tuned()) {
    if (work.notice && images_are_elsewhere(data.folder, data.image_root)) {
      work.notice(elsewhere_notice(data.folder, data.image_root));
    }
    return all_rows(features_of_images(trained, image_files(data, part, rows), {}, work));
  }
  // Borrowed: a pointer that owns nothing.
  return {std::shared_ptr<const FeatureMatrix>(std::shared_ptr<void>(), &part.features),
          std::move(rows)};
}

}  // namespace spml
