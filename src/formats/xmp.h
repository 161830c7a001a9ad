// Keywords in XMP packets, as photo managers keep them beside photographs: the bag dc:subject.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace spml {

// Larger sidecars are refused; those that programs write have a few kilobytes.
constexpr size_t kMaxXmpBytes = size_t{1} << 24;

// The keywords of a packet, in its order. Error, which begins with `where`, for a text that is no
// XMP.
std::vector<std::string> xmp_keywords(std::string_view xmp, std::string_view where);

// The packet with these keywords added that it does not have in any case; everything else stays as
// it is, byte for byte where there is nothing to add. "" makes a packet.
std::string with_xmp_keywords(std::string_view xmp, std::span<const std::string> keywords,
                              std::string_view where);

// How a photograph's sidecar is called.
enum class SidecarNames {
  kAppended,  // photo.jpg.xmp: digiKam, darktable
  kReplaced,  // photo.xmp: Lightroom, Bridge
};
Path sidecar_of(const Path& photograph, SidecarNames names);

}  // namespace spml
