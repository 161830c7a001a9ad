// In an object of its own: a test of another program defines this function itself.
#include "paths.h"

namespace spml {

Path program_path() { return build_folder() / "spml"; }

}  // namespace spml
