#include "vision/torch_module.h"

#include "spml/version.h"
#include "libtorch/torch_network.h"
#include "libtorch/torchscript.h"

const spml::TorchModule* spml_torch_module() {
  static constexpr spml::TorchModule kModule = {spml::kVersion, spml::make_torch_network,
                                                spml::load_torchscript};
  return &kModule;
}
