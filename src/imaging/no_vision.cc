// The images of a build without SPML_VISION: what needs them says what is missing.
#include "imaging/image_features.h"
#include "imaging/image_model.h"
#include "imaging/no_images.h"
#include "imaging/scene_painter.h"

namespace spml {

void complete_weights(ImageConfig&) { fail_no_images("a mode other than linear"); }

ImageModelMaker image_model_maker(const std::string&, const ActivationFolder&,
                                  const std::function<void(const std::string&)>&) {
  return {};
}

void clear_activations(const ActivationFolder&) {}

DrawImage scene_painter(int, uint64_t) { fail_no_images("`spml synth --images`"); }

FeatureMatrix features_of_images(const TrainedModel&, const std::vector<Path>&,
                                 const NetworkChoice&, const ImageWork&) {
  fail_no_images("scoring images");
}

}  // namespace spml
