// Small versions of images, in builds that can decode them.
#pragma once

#include <functional>
#include <string>

namespace spml::cli {

// A JPEG of at most `side` pixels in width and height, or as large as it is for 0, from the bytes
// of an image file; an empty function in builds without images. Decoding ends early, with an Error,
// when `stop_requested` says so.
std::function<std::string(const std::string& bytes, int side)> thumbnail_maker(
    std::function<bool()> stop_requested = {});

}  // namespace spml::cli
