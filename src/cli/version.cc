#include "cli/version.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "run/machine.h"
#include "spml/version.h"

namespace spml::cli {
namespace {

namespace fs = std::filesystem;

// Modules loaded on demand: beside the program, as in a build folder, or where they are installed.
std::vector<std::string> modules() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  std::vector<fs::path> folders = {program};
#ifdef SPML_MODULE_FOLDER
  folders.push_back((program / SPML_MODULE_FOLDER).lexically_normal());
#endif
  std::vector<std::string> found;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("libspml_") && name.ends_with(".so")) {
        found.push_back(entry.path().string());
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::string version_text(bool verbose) {
  std::string text = fmt::format("spml {}\n", kVersion);
  if (!verbose) return text;
  text += fmt::format("SIMD: {}\n", this_machine().simd);
  text += fmt::format("Compiler: {}\n", SPML_COMPILER);
  text += fmt::format("Libraries: {}\n", SPML_LIBRARIES);
  const std::vector<std::string> found = modules();
  if (found.empty()) text += "Modules: none found\n";
  for (const std::string& module : found) text += fmt::format("Module: {}\n", module);
  return text;
}

}  // namespace spml::cli
