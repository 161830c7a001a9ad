// The two decoders behind decode_image(). Both throw Error with `where` in front.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/fail.h"
#include "vision/image/image.h"

namespace spml {

Image decode_jpeg(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options);
Image decode_png(std::span<const std::byte> bytes, std::string_view where,
                 const DecodeOptions& options);

// What a file says about its image, and what it would take to decode.
struct ImageClaim {
  uint64_t width = 0, height = 0;
  // The file has so many bytes, and no file can hold more pixels in a byte than this.
  uint64_t file_bytes = 0, pixels_per_byte = 0;
  uint64_t decoder_bytes = 0;  // beside the pixels
};

// An image of the given size with its pixels allocated; Error when the size is not acceptable.
inline Image blank_image(const ImageClaim& claim, std::string_view where,
                         const DecodeOptions& options) {
  constexpr uint64_t kMaxSide = 65'535;   // keeps the half-resized image small, too
  constexpr uint64_t kSmall = 1'000'000;  // pixels that any file may claim
  const auto [width, height, file_bytes, pixels_per_byte, decoder_bytes] = claim;
  if (width == 0 || height == 0) fail("{}: the image has no pixels", where);
  if (width > kMaxSide || height > kMaxSide || width * height > options.max_pixels) {
    fail("{}: expected at most {} pixels, found {} x {}; --max-pixels sets another limit", where,
         options.max_pixels, width, height);
  }
  if (width * height > kSmall && width * height / pixels_per_byte > file_bytes) {
    fail("{}: damaged: {} bytes cannot hold {} x {} pixels", where, file_bytes, width, height);
  }
  options.memory.require(3 * width * height + decoder_bytes,
                         fmt::format("{}: an image of {} x {}", where, width, height));
  return {static_cast<int>(width), static_cast<int>(height),
          std::vector<uint8_t>(3 * width * height)};
}

}  // namespace spml
