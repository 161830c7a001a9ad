// The two decoders behind decode_image(). Both throw Error with `where` in front.
#pragma once

#include "base/fail.h"
#include "vision/image.h"

namespace spml {

Image decode_jpeg(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options);
Image decode_png(std::span<const std::byte> bytes, std::string_view where,
                 const DecodeOptions& options);

// An image of the given size with its pixels allocated; Error when the size is not acceptable.
inline Image blank_image(uint64_t width, uint64_t height, std::string_view where,
                         const DecodeOptions& options) {
  constexpr uint64_t kMaxSide = 65'535;  // keeps the half-resized image small, too
  if (width == 0 || height == 0) fail("{}: the image has no pixels", where);
  if (width > kMaxSide || height > kMaxSide || width * height > options.max_pixels) {
    fail("{}: expected at most {} pixels, found {} x {}", where, options.max_pixels, width, height);
  }
  return {static_cast<int>(width), static_cast<int>(height),
          std::vector<uint8_t>(3 * width * height)};
}

}  // namespace spml
