// Input files are mapped: one that another program cuts short while it is read makes the processor
// fault (SIGBUS) instead of a call fail.
#pragma once

namespace spml::cli {

// From now on such a fault ends the process with exit code 1 and one line that names the file.
void explain_mapped_file_errors();

}  // namespace spml::cli
