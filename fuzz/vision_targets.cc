// The readers behind images and weights, beside those of reader_targets.cc.
#include "memory_file.h"
#include "targets.h"
#include "vision/image/decode.h"
#include "vision/image/image.h"
#include "vision/weights/imagenet_package.h"
#include "vision/weights/tar.h"

namespace spml {

bool fuzz_tar(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  return accepts([&] { read_tar_gz(file.path(), "p/", size_t{1} << 20); });
}

// The bytes are model.json; the one shard it may name is fixed.
bool fuzz_tfjs_json(std::span<const std::byte> bytes) {
  const std::map<std::string, std::string> files = {{"model.json", std::string(as_text(bytes))},
                                                    {"s", std::string(64, '\0')}};
  accepts([&] { convert_tfjs_resnet50(files); });
  return accepts([&] { read_tfjs_tensors(files); });
}

bool fuzz_image(std::span<const std::byte> bytes) {
  return accepts([&] { decode_image(bytes, "image", {.max_pixels = 1 << 20}); });
}

}  // namespace spml
