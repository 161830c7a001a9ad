// What boxes say about how likely an annotator is to name a class.
#pragma once

#include "data/import/import.h"

namespace spml {

struct Box {  // in pixels; (x, y) is the corner nearest to the image's origin
  double x = 0, y = 0, width = 0, height = 0;
};

// Adds a box of the label's class, clipped to an image of the given size:
//   area      = sum over boxes of (clipped box area) / (image area)
//   closeness = max over boxes of 1 / (0.1 + d), d = distance of the box's centre from the image's
//               centre over half the image's diagonal (0 at the centre, 1 in a corner)
// The 0.1 keeps a box in the very centre from taking all the weight. A box without area inside the
// image adds nothing.
void add_box(ImportedLabel& label, const Box& box, double image_width, double image_height);

}  // namespace spml
