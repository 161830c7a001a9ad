#include "data/import/image_extension.h"

#include <algorithm>
#include <cctype>

namespace spml {

bool has_image_extension(const Path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

}  // namespace spml
