#include "cli/common.h"

#include "base/parallel.h"
#include "cli/flags.h"

namespace spml::cli {

Flag threads_flag(Common& common) {
  common.threads = hardware_threads();
  return {.name = "threads",
          .target = &common.threads,
          .help = "Number of threads",
          .hint = "T",
          .range = {1, 1024},
          .default_text = "all cores"};
}

Flag data_folder(std::string& folder) {
  return {.name = "DIR",
          .target = &folder,
          .help = "The data folder",
          .required = true,
          .complete = Complete::kFolder};
}

Flag run_folder(std::string& folder) {
  return {.name = "RUN",
          .target = &folder,
          .help = "The run folder",
          .required = true,
          .complete = Complete::kFolder};
}

}  // namespace spml::cli
