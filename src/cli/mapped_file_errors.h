// Input files are mapped: when another program truncates one while it is being read, no call fails;
// the process gets SIGBUS instead.
#pragma once

namespace spml::cli {

// From now on such a fault ends the process with exit code 1 and a line that names the file.
void explain_mapped_file_errors();

}  // namespace spml::cli
