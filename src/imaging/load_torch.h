// LibTorch, loaded when it is first used.
#pragma once

#include "vision/torch_module.h"

namespace spml {

// Whether there is a libspml_torch.so to load: not in a build without SPML_TORCH.
bool has_torch_module();

// Loads libspml_torch.so at the first call: the one beside the program (as in a build folder), else
// the one in the library folder of the installation. Error when there is none of this
// build.
const TorchModule& torch_module();

}  // namespace spml
