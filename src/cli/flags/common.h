// The flags that every verb has.
#pragma once

#include <cstdint>
#include <string>

namespace spml::cli {

struct Common {
  bool json = false;
  bool quiet = false;
  bool help = false;
  std::string max_memory;  // such as 4G; "": what the machine has
  std::string config;      // the --config file; its keys have been expanded into the other flags
  int threads = 0;         // set to the number of cores by threads_flag
  uint64_t seed = 0;
};

}  // namespace spml::cli
