#include "vision/torch_module.h"

const spml::TorchModule* spml_torch_module() {
  static constexpr spml::TorchModule kModule = {"0.0.0", nullptr, nullptr};
  return &kModule;
}
