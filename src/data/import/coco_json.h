// The parts of a COCO instances file that matter here, read without holding the file in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace spml {

struct CocoImage {
  int64_t id = 0;
  double width = 0, height = 0;     // 0 when the file does not say
  std::optional<std::string> name;  // as the file has it, not checked
};

struct CocoCategory {
  int64_t id = 0;
  std::string name;
};

struct CocoObject {
  int64_t id = 0, image = 0, category = 0;
  double box[4] = {};  // x, y, width, height; 0 when there is none
};

struct CocoInstances {
  std::vector<CocoImage> images;
  std::vector<CocoCategory> categories;
  std::vector<CocoObject> objects;
};

// The three arrays may come in any order. Error naming the file and the element.
CocoInstances read_coco_instances(const Path& path);
CocoInstances parse_coco_instances(std::string_view json, std::string_view where);

}  // namespace spml
