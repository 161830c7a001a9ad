// What libspml_torch.so gives the program. LibTorch is some 280 shared libraries, which take most
// of a second to start; the program loads them with this module, when they are used
// (cli/load_torch.h).
#pragma once

#include "vision/torchscript.h"
#include "vision/trainable_network.h"

namespace spml {

struct TorchModule {
  const char* version;  // first, and checked before the rest is used
  decltype(&make_torch_network) network;
  decltype(&load_torchscript) torchscript;
};

}  // namespace spml

extern "C" [[gnu::visibility("default")]] const spml::TorchModule* spml_torch_module();
