// Throwing Error with a formatted message.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "spml/error.h"

namespace spml {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...), Error::Kind::kUsage);
}

}  // namespace spml
