// What verbs share.
#pragma once

#include <cstdint>
#include <string>

namespace spml::cli {

struct Flag;

struct Common {
  bool json = false;
  bool quiet = false;
  bool help = false;
  std::string max_memory;  // a size in words; "": what the machine has
  std::string config;      // the --config file; its keys have been expanded into the other flags
  int threads = 0;         // set to the number of cores by threads_flag
  uint64_t seed = 0;
};

// --threads, for verbs that use several.
Flag threads_flag(Common& common);

// The positional arguments DIR and RUN.
Flag data_folder(std::string& folder);
Flag run_folder(std::string& folder);

}  // namespace spml::cli
