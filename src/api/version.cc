#include "spml/version.h"

namespace spml {

const char* library_version() { return kVersion; }

}  // namespace spml
