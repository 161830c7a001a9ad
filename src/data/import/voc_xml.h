// The few elements of a PASCAL VOC annotation that matter here, from XML that may be anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/import/boxes.h"

namespace spml {

struct VocObject {
  std::string name;
  Box box;
};

struct VocAnnotation {
  double width = 0, height = 0;  // 0 when the file does not say
  std::vector<VocObject> objects;
};

// Reads size/width, size/height and, per object, name and bndbox; parts of objects and every other
// element are passed over. Error naming `where` and the line for tags that do not match.
VocAnnotation parse_voc_xml(std::string_view xml, std::string_view where);

}  // namespace spml
