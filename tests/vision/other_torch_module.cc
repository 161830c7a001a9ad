// A module as another build of the program has it.
#include "vision/torch_module.h"

#include "spml/version.h"

const spml::TorchModule* spml_torch_module() {
  static constexpr spml::TorchModule kModule = {SPML_OTHER_VERSION, "another", nullptr, nullptr,
                                                nullptr};
  return &kModule;
}
