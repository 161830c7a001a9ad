#include <omp.h>

#include <algorithm>
#include <dnnl.hpp>
#include <unordered_map>

#include "base/fail.h"
#include "vision/backbone.h"
#include "vision/folded_conv.h"

namespace spml {
namespace {

static_assert(DNNL_VERSION_MAJOR == 2, "written for oneDNN 2, as libdnnl-dev of Debian 12");

using dnnl::memory;
using Dims = memory::dims;
constexpr auto kF32 = memory::data_type::f32;

// The network compiled for one batch size and resolution. Activations live in four buffers:
// a block reads kInput, its inner convolutions write kInner and kInner2, and its last one adds onto
// the shortcut in place, which becomes the next block's input.
class Plan {
 public:
  Plan(const ResNetLayout& net, const std::unordered_map<std::string, FoldedConv>& convs,
       size_t batch, size_t size)
      : convs_(convs), images_(memory::desc(dims(batch, 3, size, size), kF32, Tag::nchw), engine_) {
    memory x = max_pool(convolve(net.stem, images_, kInner, true), kInput);
    size_t input = kInput, spare = kShortcut;
    for (const BlockLayout& block : net.blocks) {
      memory shortcut = x;
      if (block.shortcut) {
        shortcut = convolve(*block.shortcut, x, spare, false);
        std::swap(input, spare);
      }
      memory inner = x;
      for (size_t i = 0; i + 1 < block.path.size(); ++i) {
        inner = convolve(block.path[i], inner, i == 0 ? kInner : kInner2, true);
      }
      x = convolve(block.path.back(), inner, input, true, &shortcut);
    }
    features_ = average_pool(x);
    allocate();
  }

  // images: batch x 3 x size x size; the result: batch x D, valid until the next run.
  const float* run(const float* images) {
    images_.set_data_handle(const_cast<float*>(images));
    for (Step& step : steps_) step.primitive.execute(stream_, step.arguments);
    stream_.wait();
    return static_cast<const float*>(features_.get_data_handle());
  }

 private:
  using Tag = memory::format_tag;
  enum Buffer : size_t { kInput, kShortcut, kInner, kInner2, kBuffers };

  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  static Dims dims(size_t n, size_t c, size_t h, size_t w) {
    return {static_cast<int64_t>(n), static_cast<int64_t>(c), static_cast<int64_t>(h),
            static_cast<int64_t>(w)};
  }

  static memory::desc any(const Dims& d) { return memory::desc(d, kF32, Tag::any); }

  // A tensor in one of the shared buffers, which get their memory when all sizes are known.
  memory in_buffer(const memory::desc& desc, size_t buffer) {
    memory tensor(desc, engine_, nullptr);
    bytes_[buffer] = std::max(bytes_[buffer], desc.get_size());
    tenants_[buffer].push_back(tensor);
    return tensor;
  }

  void allocate() {
    for (size_t b = 0; b < kBuffers; ++b) {
      buffers_[b] =
          memory({{static_cast<int64_t>(bytes_[b])}, memory::data_type::u8, Tag::a}, engine_);
      for (memory& tensor : tenants_[b]) tensor.set_data_handle(buffers_[b].get_data_handle());
    }
  }

  // Copies `source` into a layout of the library's choice, once, now.
  memory arranged(const std::vector<float>& source, const Dims& shape, Tag tag,
                  const memory::desc& desc) {
    memory from({shape, kF32, tag}, engine_, const_cast<float*>(source.data()));
    memory to(desc, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
    return to;
  }

  // A convolution with bias, then (with `addend`) a sum onto it in place, then ReLU.
  memory convolve(const ConvLayout& c, memory input, size_t buffer, bool relu,
                  const memory* addend = nullptr) {
    const Dims in = input.get_desc().dims();
    const auto kernel = static_cast<int64_t>(c.kernel), stride = static_cast<int64_t>(c.stride);
    const int64_t pad = kernel / 2;
    const auto out = static_cast<int64_t>(c.out);
    const Dims result{in[0], out, (in[2] + 2 * pad - kernel) / stride + 1,
                      (in[3] + 2 * pad - kernel) / stride + 1};
    const Dims weight_dims{out, static_cast<int64_t>(c.in), kernel, kernel};
    dnnl::post_ops fused;
    if (addend != nullptr) fused.append_sum(1.0f);
    if (relu) fused.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(fused);
    const dnnl::convolution_forward::primitive_desc conv(
        {dnnl::prop_kind::forward_inference,
         dnnl::algorithm::convolution_direct,
         any(in),
         any(weight_dims),
         any({out}),
         addend != nullptr ? addend->get_desc() : any(result),
         {stride, stride},
         {pad, pad},
         {pad, pad}},
        attributes, engine_);
    if (conv.src_desc() != input.get_desc()) input = reordered(input, conv.src_desc());
    const FoldedConv& folded = convs_.at(c.conv);
    const memory output = addend != nullptr ? *addend : in_buffer(conv.dst_desc(), buffer);
    steps_.push_back(
        {dnnl::convolution_forward(conv),
         {{DNNL_ARG_SRC, input},
          {DNNL_ARG_WEIGHTS, arranged(folded.weights, weight_dims, Tag::oihw, conv.weights_desc())},
          {DNNL_ARG_BIAS, arranged(folded.bias, {out}, Tag::a, conv.bias_desc())},
          {DNNL_ARG_DST, output}}});
    return output;
  }

  // A step that changes the layout, into memory of its own: rare, and then small or at the start.
  memory reordered(const memory& from, const memory::desc& desc) {
    memory to(desc, engine_);
    steps_.push_back({dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}});
    return to;
  }

  memory max_pool(const memory& input, size_t buffer) {
    const Dims in = input.get_desc().dims();
    const Dims result{in[0], in[1], (in[2] - 1) / 2 + 1, (in[3] - 1) / 2 + 1};
    return pool(input, result, dnnl::algorithm::pooling_max, {2, 2}, {3, 3}, {1, 1}, buffer);
  }

  // The mean over all positions, as plain batch x D numbers.
  memory average_pool(const memory& input) {
    const Dims in = input.get_desc().dims();
    const memory mean = pool(input, {in[0], in[1], 1, 1}, dnnl::algorithm::pooling_avg, {1, 1},
                             {in[2], in[3]}, {0, 0}, kInner);
    return reordered(mean, {{in[0], in[1], 1, 1}, kF32, Tag::nchw});
  }

  memory pool(const memory& input, const Dims& result, dnnl::algorithm algorithm,
              const Dims& strides, const Dims& kernel, const Dims& padding, size_t buffer) {
    const dnnl::pooling_forward::primitive_desc pooling(
        {dnnl::prop_kind::forward_inference, algorithm, input.get_desc(), any(result), strides,
         kernel, padding, padding},
        engine_);
    const memory output = in_buffer(pooling.dst_desc(), buffer);
    steps_.push_back(
        {dnnl::pooling_forward(pooling), {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}}});
    return output;
  }

  const std::unordered_map<std::string, FoldedConv>& convs_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  memory images_, features_;
  std::vector<Step> steps_;
  size_t bytes_[kBuffers] = {};
  std::vector<memory> tenants_[kBuffers];
  memory buffers_[kBuffers];
};

class InferenceResNet : public Backbone {
 public:
  InferenceResNet(const ResNetWeights& weights, int threads)
      : layout_(weights.layout), threads_(threads) {
    for (const ConvLayout& c : layout_.convolutions()) convs_[c.conv] = fold(weights, c);
  }

  size_t features() const override { return layout_.features; }

  void run(std::span<const float> images, int size, View<float> out) override {
    const auto side = static_cast<size_t>(size);
    const size_t image_size = 3 * side * side, D = layout_.features;
    if (size < 32 || images.size() != out.rows * image_size || out.cols != D) {
      fail("expected {} images of 3 x {} x {} (at least 32) and room for {} features", out.rows,
           size, size, D);
    }
    omp_set_num_threads(threads_);
    try {
      for (size_t i = 0; i < out.rows;) {
        const size_t n = std::min(kPerPass, out.rows - i);
        const float* result = plan(n, side).run(images.data() + i * image_size);
        std::copy(result, result + n * D, out.row(i));
        i += n;
      }
    } catch (const dnnl::error& error) {
      fail("the network could not be computed at {} x {}: {}", size, size, error.what());
    }
  }

 private:
  // Few images at a time keep the activations near the caches; more gain nothing (see
  // bench/extract_bench).
  static constexpr size_t kPerPass = 2;

  Plan& plan(size_t batch, size_t size) {
    if (size != planned_size_) plans_.clear();
    planned_size_ = size;
    std::unique_ptr<Plan>& entry = plans_[batch];
    if (!entry) entry = std::make_unique<Plan>(layout_, convs_, batch, size);
    return *entry;
  }

  ResNetLayout layout_;
  int threads_;
  std::unordered_map<std::string, FoldedConv> convs_;
  size_t planned_size_ = 0;
  std::unordered_map<size_t, std::unique_ptr<Plan>> plans_;
};

}  // namespace

std::unique_ptr<Backbone> make_inference_resnet(const ResNetWeights& weights, int threads) {
  return std::make_unique<InferenceResNet>(weights, threads);
}

void normalise(const Image& image, std::span<float> out) {
  const size_t pixels = image.rgb.size() / 3;
  for (size_t c = 0; c < 3; ++c) {
    const float scale = 1.0f / (255.0f * kImageStd[c]), shift = kImageMean[c] / kImageStd[c];
    for (size_t i = 0; i < pixels; ++i) {
      out[c * pixels + i] = static_cast<float>(image.rgb[3 * i + c]) * scale - shift;
    }
  }
}

}  // namespace spml
