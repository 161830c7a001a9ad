// The small pictures beside the tests: files and what Pillow 9.4 makes of them (binary PPM).
#pragma once

#include <cstdio>

#include "testing.h"
#include "vision/image/image.h"

namespace spml {

inline Path picture(const std::string& name) {
  return source_folder() / "tests" / "vision" / "data" / name;
}

// "P6\n<width> <height>\n255\n" and the pixels.
inline Image read_ppm(const Path& path) {
  const std::string text = read_file(path);
  Image image;
  int header = 0;
  if (std::sscanf(text.c_str(), "P6 %d %d 255%n", &image.width, &image.height, &header) != 2) {
    ADD_FAILURE() << path << " is not a PPM file";
    return image;
  }
  image.rgb.assign(text.begin() + header + 1, text.end());
  return image;
}

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace spml
