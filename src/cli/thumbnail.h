// Small versions of images, in builds that can decode them.
#pragma once

#include <functional>
#include <string>

namespace spml::cli {

// Makes a JPEG of at most `side` pixels in width and height (0: full size) from the bytes of an
// image file; an empty function in builds without images. Decoding stops with an Error once
// `stop_requested` returns true.
std::function<std::string(const std::string& bytes, int side)> thumbnail_maker(
    std::function<bool()> stop_requested = {});

}  // namespace spml::cli
