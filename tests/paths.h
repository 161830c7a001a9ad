// Where the checkout, its build and the data beside it are. Functions rather than definitions of
// the preprocessor, so that tests compiled in one checkout are the same objects in every other.
#pragma once

#include "base/files.h"

namespace spml {

Path source_folder();
Path build_folder();
Path program_path();  // what run_program() runs
Path shared_data();   // large reference data beside the checkout

// Small reference numbers, part of the clone; tests/reference/README.md says how they were made.
inline Path reference_data() { return source_folder() / "tests" / "reference"; }

}  // namespace spml
