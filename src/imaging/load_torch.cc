#include "imaging/load_torch.h"

#include "imaging/load_module.h"

namespace spml {
namespace {

constexpr ModuleFile kModule = {
    "libspml_torch.so", "spml_torch_module", "training on a card and --backbone need it",
    "build spml with -DSPML_TORCH=ON and install it (`cmake --install build`) again"};

}  // namespace

bool has_torch_module() { return find_module(kModule).has_value(); }

const TorchModule& torch_module() {
  static const auto* const kLoaded = static_cast<const TorchModule*>(load_module(kModule));
  return *kLoaded;
}

}  // namespace spml
