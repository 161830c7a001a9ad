// Writes trees of the shape and size of the real data sets, for timing importers:
//   make_trees coco DIR [MEGABYTES]   instances files with polygons and crowds; the training file
//                                     has the given size (450 as the real one)
//   make_trees cub DIR                11,788 images x 312 attributes
#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "base/fail.h"
#include "base/files.h"
#include "base/folders.h"
#include "base/rng.h"

namespace spml {
namespace {

constexpr size_t kImages = 82783, kCategories = 80;

std::string polygon(CounterRng& random) {
  std::string text = "[[";
  const size_t points = 20 + random.below(60);
  for (size_t i = 0; i < 2 * points; ++i) {
    text += fmt::format("{}{:.2f}", i == 0 ? "" : ", ", 640 * random.uniform());
  }
  return text + "]]";
}

std::string crowd(CounterRng& random) {
  std::string text = "{\"counts\": [";
  const size_t runs = 500 + random.below(2000);
  for (size_t i = 0; i < runs; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", random.below(3000));
  }
  return text + "], \"size\": [480, 640]}";
}

void write_instances(const Path& path, size_t bytes) {
  CounterRng random(1, Stream::kSynthetic);
  AtomicFile file(path);
  std::string text = "{\"info\": {\"year\": 2014}, \"annotations\": [";
  size_t written = 0;
  for (size_t id = 1; written < bytes; ++id) {
    const bool is_crowd = random.below(100) == 0;
    text += fmt::format(
        "{}{{\"segmentation\": {}, \"area\": {:.3f}, \"iscrowd\": {}, \"image_id\": {}, \"bbox\": "
        "[{:.2f}, {:.2f}, {:.2f}, {:.2f}], \"category_id\": {}, \"id\": {}}}",
        id == 1 ? "" : ", ", is_crowd ? crowd(random) : polygon(random), 1e4 * random.uniform(),
        is_crowd ? 1 : 0, 9 + 7 * random.below(kImages), 300 * random.uniform(),
        200 * random.uniform(), 300 * random.uniform(), 200 * random.uniform(),
        1 + random.below(kCategories), id);
    written += text.size();
    file.write(text);
    text.clear();
  }
  text += "], \"images\": [";
  for (size_t i = 0; i < kImages; ++i) {
    text += fmt::format("{}{{\"width\": 640, \"height\": 480, \"id\": {}}}", i == 0 ? "" : ", ",
                        9 + 7 * i);
  }
  text += "], \"categories\": [";
  for (size_t i = 1; i <= kCategories; ++i) {
    text += fmt::format("{}{{\"id\": {}, \"name\": \"category {}\"}}", i == 1 ? "" : ", ", i, i);
  }
  file.write(text + "]}");
  file.commit();
}

void write_cub(const Path& tree) {
  constexpr size_t kBirds = 11788, kAttributes = 312;
  CounterRng random(1, Stream::kSynthetic);
  make_folder(tree / "attributes");
  std::string images, split, attributes;
  AtomicFile marks(tree / "attributes" / "image_attribute_labels.txt");
  for (size_t i = 1; i <= kBirds; ++i) {
    images += fmt::format("{} {:03}.Bird/{:06}.jpg\n", i, i % 200, i);
    split += fmt::format("{} {}\n", i, i % 2);
    std::string lines;
    for (size_t j = 1; j <= kAttributes; ++j) {
      lines += fmt::format("{} {} {} {} {:.4f}\n", i, j, random.below(10) == 0 ? 1 : 0,
                           1 + random.below(4), 30 * random.uniform());
    }
    marks.write(lines);
  }
  marks.commit();
  for (size_t j = 1; j <= kAttributes; ++j) attributes += fmt::format("{} has_part::{}\n", j, j);
  write_file(tree / "images.txt", images);
  write_file(tree / "train_test_split.txt", split);
  write_file(tree / "attributes" / "attributes.txt", attributes);
}

void run(const std::string& what, const Path& folder, size_t megabytes) {
  if (what == "cub") return write_cub(folder / "CUB_200_2011");
  if (what != "coco") fail_usage("expected coco or cub, found '{}'", what);
  make_folder(folder / "annotations");
  write_instances(folder / "annotations" / "instances_train2014.json", megabytes << 20);
  write_instances(folder / "annotations" / "instances_val2014.json", (megabytes << 20) / 2);
}

}  // namespace
}  // namespace spml

int main(int argc, char** argv) {
  try {
    if (argc < 3) spml::fail_usage("usage: make_trees coco|cub DIR [MEGABYTES]");
    spml::run(argv[1], argv[2], argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 450);
  } catch (const spml::Error& error) {
    fmt::print(stderr, "make_trees: {}\n", error.what());
    return 1;
  }
}
