// Which network turns images into features.
#pragma once

#include <string>

namespace spml {

// Neither named: the weights that `spml weights fetch` made.
struct NetworkChoice {
  std::string weights;      // a ResNet, .safetensors
  std::string backbone;     // or a TorchScript network, which is a program:
  bool trust_code = false;  // it is refused without this
};

}  // namespace spml
