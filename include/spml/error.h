// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace spml {

// what() is one line: what was expected, what was found, where, and what to do next.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    kFailed,       // a file, the data or the computation is at fault
    kUsage,        // the call is: an unknown name, a setting out of range
    kInterrupted,  // stopped on request
  };

  explicit Error(const std::string& message, Kind kind = Kind::kFailed)
      : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace spml
