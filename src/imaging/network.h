// A network, opened.
#pragma once

#include <memory>

#include "data/dataset_json.h"
#include "imaging/network_choice.h"
#include "vision/backbone.h"

namespace spml {

struct Network {
  std::unique_ptr<Backbone> backbone;
  BackboneInfo info;
};

// What `spml weights fetch` made; Error when it is not there.
Path default_weights();
Network open_network(const NetworkChoice& choice, int size, int threads,
                     const FeaturePooling& pooling = {});

}  // namespace spml
