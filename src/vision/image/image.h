// An image in memory, and the limits on decoding one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/memory_budget.h"

namespace spml {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;  // height x width x 3
};

struct DecodeOptions {
  // Larger images are refused before their pixels are allocated. The default is the size at which
  // Pillow refuses: 512 MiB of RGB.
  uint64_t max_pixels = 178'956'970;
  // What decoding one image may take, pixels and the decoder's own memory.
  MemoryBudget memory = {};
  // Asked now and then while a JPEG is decoded; true ends it with an Error.
  std::function<bool()> stop_requested = {};
};

}  // namespace spml
