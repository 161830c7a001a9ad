// What a build without SPML_VISION says where images are asked for.
#pragma once

#include "base/fail.h"

namespace spml {

[[noreturn]] inline void fail_no_images(std::string_view what) {
  fail(
      "{} needs image support, and this program was built without it; build with "
      "`cmake --preset release -DSPML_VISION=ON && cmake --build build`",
      what);
}

}  // namespace spml
