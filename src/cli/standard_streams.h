// Standard input, output and error, as somebody else has left them.
#pragma once

#include <string_view>

namespace spml::cli {

// Opens those that are closed on /dev/null: else the next file that is opened would become one of
// them, and get what is printed. Writing past `ulimit -f` or into a pipe that nobody reads is from
// now on an error of the call, not a signal.
void open_standard_streams();

// Writes to standard error. What does not arrive there is lost: no work ends because its log is on
// a full disk.
void say(std::string_view text);

}  // namespace spml::cli
