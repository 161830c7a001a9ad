#include "vision/image/decode.h"

#include <algorithm>
#include <array>

#include "base/fail.h"
#include "vision/image/codecs.h"

namespace spml {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

std::string_view other_type(std::span<const std::byte> bytes) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes{{
      {"GIF8", "GIF"},
      {"BM", "BMP"},
      {"RIFF", "WebP or another RIFF file"},
      {"II*", "TIFF"},
      {"MM", "TIFF"},
  }};
  for (const auto& [magic, name] : kTypes) {
    if (starts_with(bytes, magic)) return name;
  }
  return bytes.empty() ? "an empty file" : "something else";
}

}  // namespace

Image decode_image(std::span<const std::byte> bytes, std::string_view where,
                   const DecodeOptions& options) {
  if (starts_with(bytes, "\xff\xd8\xff")) return decode_jpeg(bytes, where, options);
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return decode_png(bytes, where, options);
  fail("{}: expected a JPEG or PNG image, found {}", where, other_type(bytes));
}

Image read_image(const Path& path, const DecodeOptions& options) {
  const MappedFile file(path);
  return decode_image(file.bytes(), path.string(), options);
}

}  // namespace spml
