// Small versions of images, in builds that can decode them.
#pragma once

#include <functional>
#include <string>

namespace spml::cli {

// A JPEG of at most `side` pixels in width and height from the bytes of an image file; an empty
// function in builds without images.
std::function<std::string(const std::string& bytes, int side)> thumbnail_maker();

}  // namespace spml::cli
