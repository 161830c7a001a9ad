#include "vision/torch_module.h"

#include "base/build_id.h"
#include "libtorch/torch_network.h"
#include "libtorch/torchscript.h"
#include "spml/version.h"

const spml::TorchModule* spml_torch_module() {
  static constexpr spml::TorchModule kModule = {spml::kVersion, spml::kBuild, spml::torch_has_cuda,
                                                spml::make_torch_network, spml::load_torchscript};
  return &kModule;
}
