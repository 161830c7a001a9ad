// Any network saved by torch.jit.save. Unlike every other file spml reads it is a program: load
// only what you trust.
#pragma once

#include "vision/backbone.h"

namespace spml {

// The program must map N x 3 x size x size to N x D or N x D x h x w (averaged over positions); it
// is tried once, here, to learn D.
std::unique_ptr<Backbone> load_torchscript(const Path& path, int size, int threads);

}  // namespace spml
