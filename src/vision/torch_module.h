// What libspml_torch.so gives the program. LibTorch is some 280 shared libraries, which take most
// of a second to start; the program loads them with this module, when they are used
// (imaging/load_torch.h).
#pragma once

#include <string>

#include "base/files.h"
#include "vision/trainable_network.h"

namespace spml {

struct TorchModule {
  // These two come first in every version, and are checked before the rest is used. The program and
  // the module hand each other C++ objects, so both must come from one build: kBuild.
  const char* version;
  const char* build;
  bool (*has_cuda)();
  // libtorch/torch_network.h
  std::unique_ptr<TrainableNetwork> (*network)(const ResNetWeights& weights,
                                               const NetworkOptions& options,
                                               const std::string& device);
  // libtorch/torchscript.h
  std::unique_ptr<Backbone> (*torchscript)(const Path& path, int size, int threads);
};

}  // namespace spml

extern "C" [[gnu::visibility("default")]] const spml::TorchModule* spml_torch_module();
