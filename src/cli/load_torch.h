// LibTorch, loaded when it is first used.
#pragma once

#include "vision/torch_module.h"

namespace spml::cli {

// Loads libspml_torch.so at the first call: the one beside the program (as in a build folder), else
// the one in the library folder of the installation. Error when there is none of this version.
const TorchModule& torch_module();

}  // namespace spml::cli
