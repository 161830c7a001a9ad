#include "cli/load_torch.h"

#include <dlfcn.h>

#include <array>
#include <optional>
#include <string_view>

#include "base/fail.h"
#include "base/files.h"
#include "base/folders.h"
#include "spml/version.h"
#include "vision/build_id.h"

namespace spml::cli {
namespace {

constexpr const char* kFile = "libspml_torch.so";
constexpr const char* kWhatNext =
    "build spml with -DSPML_TORCH=ON and install it (`cmake --install build`) again";

// Beside the program, as in a build folder, or where it is installed.
std::array<Path, 2> folders() {
  const Path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {program, (program / SPML_MODULE_FOLDER).lexically_normal()};
}

std::optional<Path> find_module() {
  for (const Path& folder : folders()) {
    if (path_exists(folder / kFile)) return folder / kFile;
  }
  return std::nullopt;
}

// Never unloaded: its objects and exceptions may live as long as the process.
const TorchModule* load() {
  const std::optional<Path> found = find_module();
  if (!found) {
    fail("{}: training on a card and --backbone need it, and it is neither in {} nor in {}; {}",
         kFile, folders()[0].string(), folders()[1].string(), kWhatNext);
  }
  const Path& file = *found;
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("{}: cannot load it: {}; {}", file.string(), ::dlerror(), kWhatNext);
  const auto get =
      reinterpret_cast<decltype(&spml_torch_module)>(::dlsym(library, "spml_torch_module"));
  const TorchModule* module = get == nullptr ? nullptr : get();
  const std::string_view version = module == nullptr ? "none" : module->version;
  if (version != kVersion) {
    fail("{}: expected version {}, as of this program, found {}; {}", file.string(), kVersion,
         version, kWhatNext);
  }
  if (std::string_view(module->build) != kBuild) {
    fail("{}: expected the one built with this program ({}), found another build's ({}); {}",
         file.string(), kBuild, module->build, kWhatNext);
  }
  return module;
}

}  // namespace

bool has_torch_module() { return find_module().has_value(); }

const TorchModule& torch_module() {
  static const TorchModule* const kModule = load();
  return *kModule;
}

}  // namespace spml::cli
