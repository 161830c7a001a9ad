#include "imaging/scene_painter.h"

#include "vision/image/scene.h"

namespace spml {

DrawImage scene_painter(int size, uint64_t seed) {
  constexpr int kJpegQuality = 90;
  return [=](std::span<const int8_t> labels, uint64_t key) {
    return encode_jpeg(draw_scene(labels, size, seed, key), kJpegQuality);
  };
}

}  // namespace spml
