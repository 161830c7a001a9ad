#include "review/store/random_hex.h"

#include <fmt/format.h>
#include <sys/random.h>

#include "base/fail.h"

namespace spml::review {

std::string random_hex(size_t bytes) {
  std::string raw(bytes, '\0'), text;
  if (::getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) {
    fail("the operating system gave no random numbers");
  }
  for (const char c : raw) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace spml::review
