// Resizing exactly as Pillow does it with Image.resize(size, BILINEAR).
#pragma once

#include "vision/image/image.h"

namespace spml {

Image resize_bilinear(const Image& image, int width, int height);

}  // namespace spml
