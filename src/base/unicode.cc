#include "base/unicode.h"

#ifdef SPML_HAVE_UTF8PROC
#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#endif

namespace spml {
namespace {

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0x80u) != 0) return false;
  }
  return true;
}

std::string ascii_folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

#ifdef SPML_HAVE_UTF8PROC
std::string mapped(std::string_view text, int options) {
  utf8proc_uint8_t* result = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &result,
                                 static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (size < 0) return std::string(text);
  return {reinterpret_cast<const char*>(result), static_cast<size_t>(size)};
}
#endif

}  // namespace

std::string composed(std::string_view text) {
#ifdef SPML_HAVE_UTF8PROC
  if (!is_ascii(text)) return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
#endif
  return std::string(text);
}

std::string folded(std::string_view text) {
#ifdef SPML_HAVE_UTF8PROC
  if (!is_ascii(text)) {
    return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  }
#endif
  return ascii_folded(text);
}

}  // namespace spml
