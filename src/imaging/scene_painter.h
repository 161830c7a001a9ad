// Drawn images for synthetic data.
#pragma once

#include "data/synth.h"

namespace spml {

// Draws the scenes of `spml synth --images`, size x size pixels, as JPEG files.
DrawImage scene_painter(int size, uint64_t seed);

}  // namespace spml
