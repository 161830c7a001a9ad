// Pixels as the networks expect them: RGB in [0, 1], less kImageMean, over kImageStd.
#pragma once

#include <span>

#include "vision/image/image.h"

namespace spml {

// height x width x 3 bytes -> 3 x height x width floats.
void normalise(const Image& image, std::span<float> out);

// -> height x width x 3 floats (channels last), mirrored left to right if `flip`.
void normalise_channels_last(const Image& image, bool flip, std::span<float> out);

}  // namespace spml
