#include "cli/load_torch.h"

#include <dlfcn.h>

#include <string_view>

#include "base/fail.h"
#include "base/files.h"
#include "spml/version.h"

namespace spml::cli {
namespace {

constexpr const char* kFile = "libspml_torch.so";
constexpr const char* kWhatNext = "build spml and install it (`cmake --install build`) again";

Path find_module() {
  const Path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const Path installed = (program / SPML_MODULE_FOLDER).lexically_normal();
  for (const Path& folder : {program, installed}) {
    if (std::filesystem::exists(folder / kFile)) return folder / kFile;
  }
  fail("{}: training on a card and --backbone need it, and it is neither in {} nor in {}; {}",
       kFile, program.string(), installed.string(), kWhatNext);
}

// Never unloaded: its objects and exceptions may live as long as the process.
const TorchModule* load() {
  const Path file = find_module();
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
  return module;
}

}  // namespace

const TorchModule& torch_module() {
  static const TorchModule* const kModule = load();
  return *kModule;
}

}  // namespace spml::cli
