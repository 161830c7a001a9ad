// Decoding JPEG and PNG files, which may be damaged or hostile, to 8-bit RGB.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/files.h"
#include "vision/image/image.h"

namespace spml {

// The type is told by the first bytes, never by the file's name. The result is what Pillow's
// Image.open(file).convert("RGB") gives: grayscale is repeated, CMYK multiplied out, alpha dropped,
// EXIF orientation ignored, the first frame of an animated PNG taken. Two departures: 16-bit
// grayscale is scaled to 8 bits (Pillow clips it to white), and damaged compressed data is an Error
// (Pillow fills in gray). `where` starts every message.
Image decode_image(std::span<const std::byte> bytes, std::string_view where,
                   const DecodeOptions& options = {});

Image read_image(const Path& path, const DecodeOptions& options = {});

}  // namespace spml
