#include "run/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <hwy/targets.h>
#include <cmath>
#include <fstream>

#include "base/parallel.h"

namespace spml {
namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu = cpu_name();
  machine.cores = hardware_threads();
  const double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  machine.memory_gib = std::round(bytes / (1 << 30) * 10) / 10;
  utsname name;
  if (::uname(&name) == 0) {
    machine.os = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  // Of the targets that kernels are compiled for. They are bits, the best the lowest.
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  machine.simd = hwy::TargetName(targets & -targets);
  return machine;
}

}  // namespace spml
