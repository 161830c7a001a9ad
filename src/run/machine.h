// Where a result was made.
#pragma once

#include <string>

namespace spml {

struct Machine {
  std::string cpu;
  int cores = 0;
  double memory_gib = 0;
  std::string os;  // "" when the system does not say
  std::string simd;
};

Machine this_machine();

}  // namespace spml
