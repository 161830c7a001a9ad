// Drawn scenes, so that everything about images can be tried without any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vision/image/image.h"

namespace spml {

// One object for each positive label, on a background of changing colour: class j always has the
// same shape and hue, anywhere, larger or smaller, sometimes half hidden by another. A function of
// (labels, size, seed, key) alone.
Image draw_scene(std::span<const int8_t> labels, int size, uint64_t seed, uint64_t key);

// A JPEG file of the image; quality 1 to 100.
std::string encode_jpeg(const Image& image, int quality);

}  // namespace spml
