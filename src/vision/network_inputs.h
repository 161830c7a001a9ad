// What goes into a network in training, a batch at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "vision/weights/resnet_weights.h"

namespace spml {

class NetworkInputs {
 public:
  virtual ~NetworkInputs() = default;

  virtual size_t numbers() const = 0;  // of one image
  // A hint that load() will be called for these rows next.
  virtual void prefetch(std::span<const int32_t> rows) = 0;
  // The inputs of rows, one after the other; mirrored: of the mirror images, by place in the batch.
  // Error that names an unreadable image.
  virtual void load(std::span<const int32_t> rows, const std::vector<bool>& mirrored,
                    std::span<float> out) = 0;
};

// Images, size x size x 3, decoded ahead by threads.
std::unique_ptr<NetworkInputs> make_image_inputs(std::vector<Path> files, int size, int threads);

// What the layers below `layer` (1 to 4) make of images, rounded to float16; kept in `cache`, a
// folder, unless that is "".
struct MapInputsOptions {
  int layer = 4;
  int size = 448;
  int threads = 1;
  Path cache;
  std::string weights_sha256;  // in names inside the folder
};
std::unique_ptr<NetworkInputs> make_map_inputs(const ResNetWeights& weights,
                                               std::vector<Path> files,
                                               const MapInputsOptions& options);

}  // namespace spml
