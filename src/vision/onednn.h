// The oneDNN terms that the inference network and the training network share.
#pragma once

#include <algorithm>
#include <dnnl.hpp>
#include <vector>

#include "vision/weights/resnet_layout.h"

namespace spml::onednn {

static_assert(DNNL_VERSION_MAJOR == 2, "written for oneDNN 2, as libdnnl-dev of Debian 12");

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
inline constexpr auto kF32 = memory::data_type::f32;

// In whatever layout the library likes best.
inline memory::desc any(const Dims& dims) { return {dims, kF32, Tag::any}; }

// Scratch memory is the caller's: the library's belongs to the thread that made a primitive, and
// any thread may run it.
inline dnnl::primitive_attr attributes(const dnnl::post_ops& fused = {}) {
  dnnl::primitive_attr result;
  result.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  result.set_post_ops(fused);
  return result;
}

// A convolution of a tensor of shape `in`.
struct ConvShapes {
  ConvShapes(const ConvLayout& c, const Dims& in) {
    const auto kernel = static_cast<int64_t>(c.kernel), stride = static_cast<int64_t>(c.stride);
    const int64_t pad = kernel / 2;
    const auto side = [&](int64_t n) { return (n + 2 * pad - kernel) / stride + 1; };
    weights = {static_cast<int64_t>(c.out), static_cast<int64_t>(c.in), kernel, kernel};
    out = {in[0], weights[0], side(in[2]), side(in[3])};
    strides = {stride, stride};
    padding = {pad, pad};
  }
  Dims weights, out, strides, padding;
};

// The max pooling behind the stem.
struct StemPool {
  explicit StemPool(const Dims& in) : out{in[0], in[1], (in[2] - 1) / 2 + 1, (in[3] - 1) / 2 + 1} {}
  Dims out, strides{2, 2}, kernel{3, 3}, padding{1, 1};
};

// Buffers in which tensors live one after the other. They get their memory when all are known.
class SharedBuffers {
 public:
  SharedBuffers(const dnnl::engine& engine, size_t count) : engine_(engine), buffers_(count) {}

  memory tensor(const memory::desc& desc, size_t buffer) {
    memory tensor(desc, engine_, nullptr);
    buffers_[buffer].bytes = std::max(buffers_[buffer].bytes, desc.get_size());
    buffers_[buffer].tensors.push_back(tensor);
    return tensor;
  }

  // allocate(bytes): memory that outlives the tensors.
  template <class Allocate>
  void allocate_all(const Allocate& allocate) {
    for (Buffer& buffer : buffers_) {
      void* const data = allocate(std::max<size_t>(buffer.bytes, 64));
      for (memory& tensor : buffer.tensors) tensor.set_data_handle(data);
    }
  }

 private:
  struct Buffer {
    size_t bytes = 0;
    std::vector<memory> tensors;
  };
  dnnl::engine engine_;
  std::vector<Buffer> buffers_;
};

}  // namespace spml::onednn
