// Networks that are trained on images: from the settings of a run to a model. In a build without
// SPML_VISION (no_vision.cc) there is none, and complete_weights() is an Error that says how to get
// one.
#pragma once

#include <functional>
#include <string>

#include "fit/session.h"

namespace spml {

// Where runs with --train-from keep what the layers below compute, and whether it stays there.
struct ActivationFolder {
  Path folder;
  bool keep = false;
};
// When all is done.
void clear_activations(const ActivationFolder& activations);

// Fills in the default weights, which `spml weights fetch` makes, and the checksum.
void complete_weights(ImageConfig& image);

// Makes the networks of RunOptions and SweepOptions on a device. Error when it cannot be used: now,
// not after the linear phase of linear-init. notice: what people should know before it takes long.
ImageModelMaker image_model_maker(const std::string& device,
                                  const ActivationFolder& activations = {},
                                  const std::function<void(const std::string&)>& notice = {});

}  // namespace spml
