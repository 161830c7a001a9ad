#include "imaging/load_module.h"

#include <dlfcn.h>

#include <array>
#include <string_view>

#include "base/build_id.h"
#include "base/fail.h"
#include "base/folders.h"
#include "spml/version.h"

namespace spml {
namespace {

// How every module's table begins.
struct ModuleHead {
  const char* version;
  const char* build;
};

std::array<Path, 2> folders() {
  const Path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {program, (program / SPML_MODULE_FOLDER).lexically_normal()};
}

}  // namespace

std::optional<Path> find_module(const ModuleFile& module) {
  for (const Path& folder : folders()) {
    if (path_exists(folder / module.file)) return folder / module.file;
  }
  return std::nullopt;
}

const void* load_module(const ModuleFile& module) {
  const std::optional<Path> found = find_module(module);
  if (!found) {
    fail("{}: {}, and it is neither in {} nor in {}; {}", module.file, module.what_for,
         folders()[0].string(), folders()[1].string(), module.what_next);
  }
  const std::string file = found->string();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("{}: cannot load it: {}; {}", file, ::dlerror(), module.what_next);
  const auto get = reinterpret_cast<const ModuleHead* (*)()>(::dlsym(library, module.symbol));
  const ModuleHead* head = get == nullptr ? nullptr : get();
  const std::string_view version = head == nullptr ? "none" : head->version;
  if (version != kVersion) {
    fail("{}: expected version {}, as of this program, found {}; {}", file, kVersion, version,
         module.what_next);
  }
  if (std::string_view(head->build) != kBuild) {
    fail("{}: expected the one built with this program ({}), found another build's ({}); {}", file,
         kBuild, head->build, module.what_next);
  }
  return head;
}

}  // namespace spml
