#include "data/import/boxes.h"

#include <algorithm>
#include <cmath>

namespace spml {

void add_box(ImportedLabel& label, const Box& box, double image_width, double image_height) {
  const double left = std::max(box.x, 0.0), right = std::min(box.x + box.width, image_width);
  const double top = std::max(box.y, 0.0), bottom = std::min(box.y + box.height, image_height);
  if (!(right > left && bottom > top)) return;  // also when a number is not one

  const double area = (right - left) / image_width * ((bottom - top) / image_height);
  const double dx = (left + right - image_width) / 2, dy = (top + bottom - image_height) / 2;
  const double d = std::hypot(dx, dy) / (std::hypot(image_width, image_height) / 2);
  label.area += static_cast<float>(area);
  label.closeness = std::max(label.closeness, static_cast<float>(1 / (0.1 + d)));
}

}  // namespace spml
