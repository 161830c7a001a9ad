#include "cli/flags/common_flags.h"

#include <unistd.h>

#include <cstdlib>

#include "base/parallel.h"
#include "cluster/launch.h"

namespace spml::cli {

namespace {

// Ranks on one machine share its cores.
int default_threads() {
  const int open = hardware_threads();
  const auto launch = find_launch(std::getenv);
  return launch ? threads_of_rank(*launch, open, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)))
                : open;
}

}  // namespace

Flag threads_flag(Common& common) {
  common.threads = default_threads();
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
