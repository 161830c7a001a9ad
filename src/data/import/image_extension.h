// Which files are images, by their names.
#pragma once

#include "base/path.h"

namespace spml {

// jpg, jpeg or png in any case.
bool has_image_extension(const Path& path);

}  // namespace spml
