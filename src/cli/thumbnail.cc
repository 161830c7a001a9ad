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

std::string thumbnail(const std::string& bytes, int side, const DecodeOptions& options) {
  const Image image = decode_image(std::as_bytes(std::span(bytes)), "image", options);
  if (side == 0) return encode_jpeg(image, kQuality);
  const double scale =
      std::min(1.0, static_cast<double>(side) / std::max(image.width, image.height));
  const auto scaled = [scale](int length) {
    return std::max(1, static_cast<int>(std::lround(length * scale)));
  };
  return encode_jpeg(resize_bilinear(image, scaled(image.width), scaled(image.height)), kQuality);
}

}  // namespace

std::function<std::string(const std::string&, int)> thumbnail_maker(
    std::function<bool()> stop_requested) {
  DecodeOptions options;
  options.stop_requested = std::move(stop_requested);
  return [options](const std::string& bytes, int side) { return thumbnail(bytes, side, options); };
}

}  // namespace spml::cli
