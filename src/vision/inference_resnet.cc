#include <omp.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "base/fail.h"
#include "base/parallel.h"
#include "vision/backbone.h"
#include "vision/folded_conv.h"
#include "vision/onednn.h"

namespace spml {
namespace {

using namespace onednn;

// Weights in the layout that oneDNN chose for them, shared by all plans.
class PackedWeights {
 public:
  PackedWeights(const ResNetWeights& weights, dnnl::engine engine) : engine_(std::move(engine)) {
    for (const ConvLayout& c : weights.layout.convolutions()) folded_[c.conv] = fold(weights, c);
  }

  memory weights(const ConvLayout& c, const Dims& shape, const memory::desc& desc) {
    const std::lock_guard lock(mutex_);
    memory& packed = packed_[c.conv];
    if (!packed || packed.get_desc() != desc) {
      packed = arranged(folded_[c.conv].weights, {shape, kF32, Tag::oihw}, desc);
    }
    return packed;
  }

  memory bias(const ConvLayout& c) {
    return memory({{static_cast<int64_t>(c.out)}, kF32, Tag::a}, engine_,
                  folded_.at(c.conv).bias.data());
  }

  const dnnl::engine& engine() const { return engine_; }

 private:
  memory arranged(std::vector<float>& values, const memory::desc& plain, const memory::desc& desc) {
    dnnl::stream stream(engine_);
    memory from(plain, engine_, values.data()), to(desc, engine_);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return to;
  }

  dnnl::engine engine_;
  std::mutex mutex_;
  std::unordered_map<std::string, FoldedConv> folded_;
  std::unordered_map<std::string, memory> packed_;
};

// The network compiled for one image of one resolution. Activations live in a few buffers: a block
// reads one, its inner convolutions write kInner and kInner2, and its last one adds onto the
// shortcut in place, which becomes the next block's input.
class Plan {
 public:
  Plan(const ResNetLayout& net, PackedWeights& weights, size_t size)
      : weights_(weights),
        engine_(weights.engine()),
        stream_(engine_),
        buffers_(engine_, kBuffers) {
    const auto side = static_cast<int64_t>(size);
    images_ = memory({{1, 3, side, side}, kF32, Tag::nchw}, engine_, nullptr);
    memory x = max_pool(convolve(net.stem, images_, kInner, true), kInput);
    size_t spare = kShortcut;
    for (const BlockLayout& block : net.blocks) {
      memory shortcut = x;
      if (block.shortcut) {
        shortcut = convolve(*block.shortcut, x, spare, false);
        spare = spare == kShortcut ? kInput : kShortcut;
      }
      memory inner = x;
      for (size_t i = 0; i + 1 < block.path.size(); ++i) {
        inner = convolve(block.path[i], inner, i == 0 ? kInner : kInner2, true);
      }
      x = convolve_onto(block.path.back(), inner, shortcut);
    }
    features_ = average_pool(x);
    buffers_.allocate_all([this](size_t bytes) {
      const Dims all{static_cast<int64_t>(bytes)};
      return allocated_.emplace_back(memory::desc(all, memory::data_type::u8, Tag::a), engine_)
          .get_data_handle();
    });
  }

  // image: 3 x size x size. out: D.
  void run(const float* image, float* out) {
    images_.set_data_handle(const_cast<float*>(image));
    features_.set_data_handle(out);
    for (Step& step : steps_) step.primitive.execute(stream_, step.arguments);
    stream_.wait();
  }

 private:
  enum Buffer : size_t { kInput, kShortcut, kInner, kInner2, kScratch, kBuffers };

  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  void add_step(dnnl::primitive primitive, const memory::desc& scratch,
                std::unordered_map<int, memory> arguments) {
    arguments[DNNL_ARG_SCRATCHPAD] = buffers_.tensor(scratch, kScratch);
    steps_.push_back({std::move(primitive), std::move(arguments)});
  }

  // relu(w*x + b), or without the relu.
  memory convolve(const ConvLayout& c, const memory& input, size_t buffer, bool relu) {
    dnnl::post_ops fused;
    if (relu) fused.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    return convolve(c, input, fused, nullptr, buffer);
  }

  // relu(w*x + b + sum), written over `sum`.
  memory convolve_onto(const ConvLayout& c, const memory& input, const memory& sum) {
    dnnl::post_ops fused;
    fused.append_sum(1.0f);
    fused.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    return convolve(c, input, fused, &sum, kBuffers);
  }

  memory convolve(const ConvLayout& c, memory input, const dnnl::post_ops& fused,
                  const memory* output, size_t buffer) {
    const ConvShapes shapes(c, input.get_desc().dims());
    const dnnl::convolution_forward::primitive_desc conv(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
         any(input.get_desc().dims()), any(shapes.weights),
         memory::desc({shapes.out[1]}, kF32, Tag::a),
         output != nullptr ? output->get_desc() : any(shapes.out), shapes.strides, shapes.padding,
         shapes.padding},
        attributes(fused), engine_);
    if (conv.src_desc() != input.get_desc()) {
      input = reordered(input, memory(conv.src_desc(), engine_));
    }
    const memory to = output != nullptr ? *output : buffers_.tensor(conv.dst_desc(), buffer);
    add_step(dnnl::convolution_forward(conv), conv.scratchpad_desc(),
             {{DNNL_ARG_SRC, input},
              {DNNL_ARG_WEIGHTS, weights_.weights(c, shapes.weights, conv.weights_desc())},
              {DNNL_ARG_BIAS, weights_.bias(c)},
              {DNNL_ARG_DST, to}});
    return to;
  }

  // A change of layout, into memory of its own. (Such reorders use no scratch memory.)
  memory reordered(const memory& from, const memory& to) {
    steps_.push_back({dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}});
    return to;
  }

  memory max_pool(const memory& input, size_t buffer) {
    const StemPool stem(input.get_desc().dims());
    return pool(input, stem.out, dnnl::algorithm::pooling_max, stem.strides, stem.kernel,
                stem.padding, buffer);
  }

  // The mean over all positions, as D plain numbers.
  memory average_pool(const memory& input) {
    const Dims in = input.get_desc().dims(), result{1, in[1], 1, 1};
    const memory mean =
        pool(input, result, dnnl::algorithm::pooling_avg, {1, 1}, {in[2], in[3]}, {0, 0}, kInner);
    return reordered(mean, memory({result, kF32, Tag::nchw}, engine_, nullptr));
  }

  memory pool(const memory& input, const Dims& result, dnnl::algorithm algorithm,
              const Dims& strides, const Dims& kernel, const Dims& padding, size_t buffer) {
    const dnnl::pooling_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, algorithm, input.get_desc(), any(result), strides,
         kernel, padding, padding},
        attributes(), engine_);
    const memory output = buffers_.tensor(desc.dst_desc(), buffer);
    add_step(dnnl::pooling_forward(desc), desc.scratchpad_desc(),
             {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}});
    return output;
  }

  PackedWeights& weights_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  memory images_, features_;
  std::vector<Step> steps_;
  SharedBuffers buffers_;
  std::vector<memory> allocated_;  // the buffers' memory
};

// One plan per thread, one image per plan: threads never wait for one another inside the network,
// and the activations of an image stay near the caches.
class InferenceResNet : public Backbone {
 public:
  InferenceResNet(const ResNetWeights& weights, int threads)
      : layout_(weights.layout),
        weights_(weights, dnnl::engine(dnnl::engine::kind::cpu, 0)),
        plans_(static_cast<size_t>(threads)) {}

  size_t features() const override { return layout_.features; }

  void run(std::span<const float> images, int size, View<float> out) override {
    const auto side = static_cast<size_t>(size);
    const size_t image_size = 3 * side * side;
    if (size < 32 || images.size() != out.rows * image_size || out.cols != layout_.features) {
      fail("expected {} images of 3 x {} x {} (at least 32) and room for {} features", out.rows,
           size, size, layout_.features);
    }
    if (size != planned_size_) std::ranges::fill(plans_, nullptr);
    planned_size_ = size;
    std::atomic<size_t> next{0};
    const size_t workers = std::min(plans_.size(), out.rows);
    parallel_for(workers, static_cast<int>(workers), [&](size_t worker) {
      omp_set_num_threads(1);
      try {
        auto& plan = plans_[worker];
        if (!plan) plan = std::make_unique<Plan>(layout_, weights_, side);
        for (size_t i; (i = next++) < out.rows;) {
          plan->run(images.data() + i * image_size, out.row(i));
        }
      } catch (const dnnl::error& error) {
        fail("the network could not be computed at {} x {}: {}", size, size, error.what());
      }
    });
  }

 private:
  ResNetLayout layout_;
  PackedWeights weights_;
  int planned_size_ = 0;
  std::vector<std::unique_ptr<Plan>> plans_;
};

}  // namespace

std::unique_ptr<Backbone> make_inference_resnet(const ResNetWeights& weights, int threads) {
  return std::make_unique<InferenceResNet>(weights, threads);
}

}  // namespace spml
