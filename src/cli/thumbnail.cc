#include "cli/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "vision/image/decode.h"
#include "vision/image/image.h"
#include "vision/image/resize.h"
#include "vision/image/scene.h"

namespace spml::cli {
namespace {

constexpr int kQuality = 85;

std::string thumbnail(const std::string& bytes, int side) {
  const Image image = decode_image(std::as_bytes(std::span(bytes)), "image");
  const double scale =
      std::min(1.0, static_cast<double>(side) / std::max(image.width, image.height));
  const auto scaled = [scale](int length) {
    return std::max(1, static_cast<int>(std::lround(length * scale)));
  };
  return encode_jpeg(resize_bilinear(image, scaled(image.width), scaled(image.height)), kQuality);
}

}  // namespace

std::function<std::string(const std::string&, int)> thumbnail_maker() { return thumbnail; }

}  // namespace spml::cli
