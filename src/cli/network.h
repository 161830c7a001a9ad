// The network that the flags name, opened.
#pragma once

#include <memory>

#include "cli/images.h"
#include "vision/backbone.h"

namespace spml::cli {

struct Network {
  std::unique_ptr<Backbone> backbone;
  BackboneInfo info;
};

// Without --weights and --backbone: what `spml weights fetch` made; Error when it is not there.
Path default_weights();
Network open_network(const NetworkFlags& flags, int size, int threads,
                     const FeaturePooling& pooling = {});

}  // namespace spml::cli
