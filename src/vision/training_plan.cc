#include "vision/training_plan.h"

#include <sys/mman.h>

#include <cstdlib>
#include <functional>

#include "base/fail.h"
#include "vision/onednn.h"

namespace spml {
namespace {

using namespace onednn;

constexpr float kMomentum = 0.1f;  // of the running statistics, as in torch

using Arguments = std::unordered_map<int, memory>;

// Memory for large tensors in huge pages, where the system has them: fewer page faults and misses.
class Arena {
 public:
  void* allocate(size_t bytes) {
    constexpr size_t kHuge = size_t{1} << 21;
    const size_t alignment = bytes < 2 * kHuge ? 64 : kHuge;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    blocks_.emplace_back(std::aligned_alloc(alignment, rounded), std::free);
    void* const data = blocks_.back().get();
    if (data == nullptr)
      fail(
          "no memory for a tensor of {} MB; a smaller batch or --accumulate "
          "needs less",
          bytes >> 20);
    if (alignment == kHuge) ::madvise(data, rounded, MADV_HUGEPAGE);
    return data;
  }

 private:
  std::vector<std::unique_ptr<void, decltype(&std::free)>> blocks_;
};

float* floats(const memory& tensor) { return static_cast<float*>(tensor.get_data_handle()); }
int64_t count(const memory& tensor) {
  return static_cast<int64_t>(tensor.get_desc().get_size() / sizeof(float));
}

// What a residual block does between its convolutions. All of it is element by element, in any
// layout that the tensors have in common.

// y = max(0, y + x)
void add_and_clip(const memory& y_tensor, const memory& x_tensor) {
  float* const y = floats(y_tensor);
  const float* const x = floats(x_tensor);
  const int64_t n = count(y_tensor);
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) y[i] = y[i] + x[i] > 0 ? y[i] + x[i] : 0;
}

// d += e
void add(const memory& d_tensor, const memory& e_tensor) {
  float* const d = floats(d_tensor);
  const float* const e = floats(e_tensor);
  const int64_t n = count(d_tensor);
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) d[i] += e[i];
}

// d = d + e where y > 0, else 0
void add_where_positive(const memory& d_tensor, const memory& e_tensor, const memory& y_tensor) {
  float* const d = floats(d_tensor);
  const float *const e = floats(e_tensor), *const y = floats(y_tensor);
  const int64_t n = count(d_tensor);
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) d[i] = y[i] > 0 ? d[i] + e[i] : 0;
}

// d = d where y > 0, else 0
void keep_where_positive(const memory& d_tensor, const memory& y_tensor) {
  float* const d = floats(d_tensor);
  const float* const y = floats(y_tensor);
  const int64_t n = count(d_tensor);
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) d[i] = y[i] > 0 ? d[i] : 0;
}

}  // namespace

class TrainingPlan::Impl {
 public:
  Impl(const ResNetLayout& net, TrainedTensors& tensors, size_t batch, int size, NormOptions norms)
      : tensors_(tensors),
        frozen_norms_(norms.frozen),
        epsilon_(static_cast<float>(norms.epsilon)),
        batch_(batch),
        features_(batch * net.features),
        dfeatures_(batch * net.features),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        buffers_(engine_, kBuffers) {
    const auto B = static_cast<int64_t>(batch), side = static_cast<int64_t>(size);
    images_ = memory({{B, 3, side, side}, kF32, Tag::nhwc}, engine_, nullptr);
    build(net);
    buffers_.allocate_all([this](size_t bytes) { return arena_.allocate(bytes); });
  }

  size_t batch() const { return batch_; }
  View<const float> features() const {
    return {features_.data(), batch_, features_.size() / batch_};
  }

  void pack_weights() { run(pack_); }
  void forward(const float* images) {
    images_.set_data_handle(const_cast<float*>(images));
    run(forward_);
  }
  void backward(const float* dfeatures, bool add) {
    std::copy_n(dfeatures, dfeatures_.size(), dfeatures_.begin());
    add_ = add;
    run(backward_);
  }
  void update_statistics();

 private:
  // Gradients of activations: of a block's output in one of three in turn, inside a block between
  // normalisation and convolution (kRaw) and behind a normalisation (kInner).
  enum Buffer : size_t { kFirst, kSecond, kThird, kRaw, kInner, kWeights, kScratch, kBuffers };
  using Steps = std::vector<std::function<void()>>;

  // A convolution, the normalisation behind it and, fused into that, the ReLU behind both.
  struct Layer {
    const ConvLayout& layout;
    ConvShapes shapes;
    bool relu;
    memory input;
    memory raw = {}, output = {};  // raw: between convolution and normalisation
    memory mean = {}, variance = {}, workspace = {};
    dnnl::convolution_forward::primitive_desc conv = {};
    dnnl::batch_normalization_forward::primitive_desc norm = {};
  };
  struct Block {
    std::vector<Layer> path;
    std::vector<Layer> shortcut;  // none or one
    memory input, output;
  };

  void run(const Steps& steps) {
    for (const auto& step : steps) step();
    stream_.wait();
  }

  memory own(const memory::desc& desc) {
    return memory(desc, engine_, arena_.allocate(std::max<size_t>(desc.get_size(), 64)));
  }
  memory vector_of(std::vector<float>& values) {
    return memory({{static_cast<int64_t>(values.size())}, kF32, Tag::a}, engine_, values.data());
  }
  TrainedTensor& tensor(const std::string& name) { return tensors_.find(name)->second; }

  void add_step(Steps& steps, const dnnl::primitive& primitive, const memory::desc& scratch,
                Arguments arguments) {
    arguments[DNNL_ARG_SCRATCHPAD] = buffers_.tensor(scratch, kScratch);
    steps.push_back([this, primitive, arguments = std::move(arguments)] {
      primitive.execute(stream_, arguments);
    });
  }
  template <class Primitive, class Desc>
  void add_step(Steps& steps, const Desc& desc, Arguments arguments) {
    add_step(steps, Primitive(desc), desc.scratchpad_desc(), std::move(arguments));
  }
  static Arguments from_to(const memory& from, const memory& to) {
    return {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  }
  void add_reorder(Steps& steps, const memory& from, const memory& to) {
    steps.push_back([this, reorder = dnnl::reorder(from, to), arguments = from_to(from, to)] {
      reorder.execute(stream_, arguments);
    });
  }
  // The weights of a convolution in the layout that a primitive wants, packed by pack_weights().
  memory packed(const Layer& layer, const memory::desc& desc) {
    const memory plain({layer.shapes.weights, kF32, Tag::oihw}, engine_,
                       tensor(layer.layout.conv + ".weight").value.data());
    const memory result = own(desc);
    add_reorder(pack_, plain, result);
    return result;
  }

  void build(const ResNetLayout& net);
  Layer make_layer(const ConvLayout& c, const memory& input, bool relu,
                   const memory::desc* raw = nullptr);
  void differentiate(const Layer& layer, const memory& doutput, const memory* dinput);
  void differentiate_weights(const Layer& layer, const memory& draw);
  void differentiate_norm(const Layer& layer, const memory& doutput, const memory& draw);
  dnnl::normalization_flags norm_flags(bool relu) const;

  TrainedTensors& tensors_;
  bool frozen_norms_;
  float epsilon_;
  size_t batch_;
  std::vector<float> features_, dfeatures_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  Arena arena_;
  SharedBuffers buffers_;
  memory images_;
  std::vector<Layer> stem_;
  std::vector<Block> blocks_;
  Steps pack_, forward_, backward_;
  bool add_ = false;
};

dnnl::normalization_flags TrainingPlan::Impl::norm_flags(bool relu) const {
  using Flags = dnnl::normalization_flags;
  Flags flags = Flags::use_scale | Flags::use_shift;
  if (relu) flags |= Flags::fuse_norm_relu;
  if (frozen_norms_) flags |= Flags::use_global_stats;
  return flags;
}

// raw: the layout of the convolution's output, where it is not free.
TrainingPlan::Impl::Layer TrainingPlan::Impl::make_layer(const ConvLayout& c, const memory& input,
                                                         bool relu, const memory::desc* raw) {
  const Dims in = input.get_desc().dims();
  Layer layer{.layout = c, .shapes{c, in}, .relu = relu, .input = input};
  const ConvShapes& s = layer.shapes;
  if (!frozen_norms_ && s.out[0] * s.out[2] * s.out[3] < 2) {
    fail(
        "batch normalisation needs more than one position for its statistics; found a batch of 1 "
        "whose images end as 1 x 1 in {}: use a larger --size or --batch",
        c.conv);
  }
  layer.conv = {
      {dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any(in),
       any(s.weights), raw != nullptr ? *raw : any(s.out), s.strides, s.padding, s.padding},
      attributes(),
      engine_};
  if (layer.conv.src_desc() != input.get_desc()) {
    layer.input = own(layer.conv.src_desc());
    add_reorder(forward_, input, layer.input);
  }
  layer.raw = own(layer.conv.dst_desc());
  add_step<dnnl::convolution_forward>(forward_, layer.conv,
                                      {{DNNL_ARG_SRC, layer.input},
                                       {DNNL_ARG_WEIGHTS, packed(layer, layer.conv.weights_desc())},
                                       {DNNL_ARG_DST, layer.raw}});

  layer.norm = {
      {dnnl::prop_kind::forward_training, layer.raw.get_desc(), epsilon_, norm_flags(relu)},
      attributes(),
      engine_};
  layer.output = own(layer.norm.dst_desc());
  layer.workspace = own(layer.norm.workspace_desc());
  if (frozen_norms_) {
    layer.mean = vector_of(tensor(c.bn + ".running_mean").value);
    layer.variance = vector_of(tensor(c.bn + ".running_var").value);
  } else {
    layer.mean = own(layer.norm.mean_desc());
    layer.variance = own(layer.norm.variance_desc());
  }
  add_step<dnnl::batch_normalization_forward>(
      forward_, layer.norm,
      {{DNNL_ARG_SRC, layer.raw},
       {DNNL_ARG_MEAN, layer.mean},
       {DNNL_ARG_VARIANCE, layer.variance},
       {DNNL_ARG_SCALE, vector_of(tensor(c.bn + ".weight").value)},
       {DNNL_ARG_SHIFT, vector_of(tensor(c.bn + ".bias").value)},
       {DNNL_ARG_WORKSPACE, layer.workspace},
       {DNNL_ARG_DST, layer.output}});
  return layer;
}

void TrainingPlan::Impl::differentiate_norm(const Layer& layer, const memory& doutput,
                                            const memory& draw) {
  const dnnl::batch_normalization_backward::primitive_desc desc(
      {dnnl::prop_kind::backward, draw.get_desc(), layer.raw.get_desc(), epsilon_,
       norm_flags(layer.relu)},
      attributes(), engine_, layer.norm);
  TrainedTensor& scale = tensor(layer.layout.bn + ".weight");
  TrainedTensor& shift = tensor(layer.layout.bn + ".bias");
  const memory::desc per_channel = layer.norm.mean_desc();
  const memory dscale = own(per_channel), dshift = own(per_channel);
  add_step<dnnl::batch_normalization_backward>(backward_, desc,
                                               {{DNNL_ARG_SRC, layer.raw},
                                                {DNNL_ARG_MEAN, layer.mean},
                                                {DNNL_ARG_VARIANCE, layer.variance},
                                                {DNNL_ARG_DIFF_DST, doutput},
                                                {DNNL_ARG_SCALE, vector_of(scale.value)},
                                                {DNNL_ARG_SHIFT, vector_of(shift.value)},
                                                {DNNL_ARG_WORKSPACE, layer.workspace},
                                                {DNNL_ARG_DIFF_SRC, draw},
                                                {DNNL_ARG_DIFF_SCALE, dscale},
                                                {DNNL_ARG_DIFF_SHIFT, dshift}});
  if (frozen_norms_) return;
  const auto collect = [this](const memory& from, std::vector<float>& to) {
    for (size_t c = 0; c < to.size(); ++c) to[c] = floats(from)[c] + (add_ ? to[c] : 0);
  };
  backward_.push_back([=, this, &scale, &shift] {
    stream_.wait();
    collect(dscale, scale.gradient);
    collect(dshift, shift.gradient);
  });
}

void TrainingPlan::Impl::differentiate_weights(const Layer& layer, const memory& draw) {
  const ConvShapes& s = layer.shapes;
  const dnnl::convolution_backward_weights::primitive_desc desc(
      {dnnl::algorithm::convolution_direct, layer.input.get_desc(), any(s.weights), draw.get_desc(),
       s.strides, s.padding, s.padding},
      attributes(), engine_, layer.conv);
  const memory packed_gradient = buffers_.tensor(desc.diff_weights_desc(), kWeights);
  add_step<dnnl::convolution_backward_weights>(backward_, desc,
                                               {{DNNL_ARG_SRC, layer.input},
                                                {DNNL_ARG_DIFF_DST, draw},
                                                {DNNL_ARG_DIFF_WEIGHTS, packed_gradient}});
  const memory gradient({s.weights, kF32, Tag::oihw}, engine_,
                        tensor(layer.layout.conv + ".weight").gradient.data());
  dnnl::post_ops sum;
  sum.append_sum(1.0f);
  dnnl::primitive_attr adding;
  adding.set_post_ops(sum);
  backward_.push_back([this, write = dnnl::reorder(packed_gradient, gradient),
                       add = dnnl::reorder(packed_gradient, gradient, adding),
                       arguments = from_to(packed_gradient, gradient)] {
    (add_ ? add : write).execute(stream_, arguments);
  });
}

// dinput null: not asked for.
void TrainingPlan::Impl::differentiate(const Layer& layer, const memory& doutput,
                                       const memory* dinput) {
  const memory draw = buffers_.tensor(layer.raw.get_desc(), kRaw);
  differentiate_norm(layer, doutput, draw);
  differentiate_weights(layer, draw);
  if (dinput == nullptr) return;
  const ConvShapes& s = layer.shapes;
  const dnnl::convolution_backward_data::primitive_desc desc(
      {dnnl::algorithm::convolution_direct, dinput->get_desc(), any(s.weights), draw.get_desc(),
       s.strides, s.padding, s.padding},
      attributes(), engine_, layer.conv);
  add_step<dnnl::convolution_backward_data>(backward_, desc,
                                            {{DNNL_ARG_DIFF_DST, draw},
                                             {DNNL_ARG_WEIGHTS, packed(layer, desc.weights_desc())},
                                             {DNNL_ARG_DIFF_SRC, *dinput}});
}

void TrainingPlan::Impl::build(const ResNetLayout& net) {
  // Forward.
  stem_.push_back(make_layer(net.stem, images_, true));
  const memory stem = stem_.back().output;
  const StemPool pool(stem.get_desc().dims());
  const dnnl::pooling_forward::primitive_desc max_pool(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, stem.get_desc(),
       any(pool.out), pool.strides, pool.kernel, pool.padding, pool.padding},
      attributes(), engine_);
  const memory pooled = own(max_pool.dst_desc()), pool_workspace = own(max_pool.workspace_desc());
  add_step<dnnl::pooling_forward>(
      forward_, max_pool,
      {{DNNL_ARG_SRC, stem}, {DNNL_ARG_DST, pooled}, {DNNL_ARG_WORKSPACE, pool_workspace}});
  memory x = pooled;
  for (const BlockLayout& layout : net.blocks) {
    Block block;
    block.input = x;
    memory shortcut = x;
    if (layout.shortcut) {
      block.shortcut.push_back(make_layer(*layout.shortcut, x, false));
      shortcut = block.shortcut.back().output;
    }
    for (size_t i = 0; i < layout.path.size(); ++i) {
      const bool last = i + 1 == layout.path.size();
      // Added element by element, the two branches must agree in their layout.
      const memory::desc sum = shortcut.get_desc();
      block.path.push_back(make_layer(layout.path[i], x, !last, last ? &sum : nullptr));
      x = block.path.back().output;
    }
    forward_.push_back([x, shortcut] { add_and_clip(x, shortcut); });
    block.output = x;
    blocks_.push_back(std::move(block));
  }
  const Dims last = x.get_desc().dims(), mean{last[0], last[1], 1, 1};
  const dnnl::pooling_forward::primitive_desc average({dnnl::prop_kind::forward_training,
                                                       dnnl::algorithm::pooling_avg,
                                                       x.get_desc(),
                                                       any(mean),
                                                       {1, 1},
                                                       {last[2], last[3]},
                                                       {0, 0},
                                                       {0, 0}},
                                                      attributes(), engine_);
  const memory averaged = own(average.dst_desc());
  add_step<dnnl::pooling_forward>(forward_, average, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, averaged}});
  const memory::desc plain(mean, kF32, Tag::nchw);
  add_reorder(forward_, averaged, memory(plain, engine_, features_.data()));

  // Backward.
  const memory daveraged = own(average.dst_desc());
  add_reorder(backward_, memory(plain, engine_, dfeatures_.data()), daveraged);
  size_t buffer = kFirst;
  memory d = buffers_.tensor(x.get_desc(), buffer);
  const dnnl::pooling_backward::primitive_desc daverage({dnnl::algorithm::pooling_avg,
                                                         d.get_desc(),
                                                         daveraged.get_desc(),
                                                         {1, 1},
                                                         {last[2], last[3]},
                                                         {0, 0},
                                                         {0, 0}},
                                                        attributes(), engine_, average);
  add_step<dnnl::pooling_backward>(backward_, daverage,
                                   {{DNNL_ARG_DIFF_DST, daveraged}, {DNNL_ARG_DIFF_SRC, d}});
  memory also;  // what a block's other branch adds to d
  for (size_t b = blocks_.size(); b-- > 0;) {
    const Block& block = blocks_[b];
    if (also) {
      backward_.push_back([=, y = block.output] { add_where_positive(d, also, y); });
    } else {
      backward_.push_back([=, y = block.output] { keep_where_positive(d, y); });
    }
    const size_t through = (buffer + 1) % 3, around = (buffer + 2) % 3;
    memory dinput = buffers_.tensor(block.input.get_desc(), through);
    memory dinner = d;
    for (size_t i = block.path.size(); i-- > 0;) {
      const Layer& layer = block.path[i];
      const memory below =
          i == 0 ? dinput : buffers_.tensor(block.path[i - 1].output.get_desc(), kInner);
      differentiate(layer, dinner, &below);
      dinner = below;
    }
    if (block.shortcut.empty()) {
      also = d;
    } else {
      also = buffers_.tensor(block.input.get_desc(), around);
      differentiate(block.shortcut.front(), d, &also);
    }
    d = dinput;
    buffer = through;
  }
  backward_.push_back([=] { add(d, also); });
  const memory dstem = buffers_.tensor(stem.get_desc(), kInner);
  const dnnl::pooling_backward::primitive_desc dpool(
      {dnnl::algorithm::pooling_max, dstem.get_desc(), d.get_desc(), pool.strides, pool.kernel,
       pool.padding, pool.padding},
      attributes(), engine_, max_pool);
  add_step<dnnl::pooling_backward>(
      backward_, dpool,
      {{DNNL_ARG_DIFF_DST, d}, {DNNL_ARG_WORKSPACE, pool_workspace}, {DNNL_ARG_DIFF_SRC, dstem}});
  differentiate(stem_.back(), dstem, nullptr);
}

void TrainingPlan::Impl::update_statistics() {
  if (frozen_norms_) return;
  const auto update = [this](const Layer& layer) {
    const Dims& out = layer.shapes.out;
    const auto n = static_cast<float>(out[0] * out[2] * out[3]);
    const auto move = [](std::vector<float>& running, const memory& found, float factor) {
      for (size_t c = 0; c < running.size(); ++c) {
        running[c] += kMomentum * (factor * floats(found)[c] - running[c]);
      }
    };
    move(tensor(layer.layout.bn + ".running_mean").value, layer.mean, 1);
    move(tensor(layer.layout.bn + ".running_var").value, layer.variance, n / (n - 1));
  };
  update(stem_.back());
  for (const Block& block : blocks_) {
    for (const Layer& layer : block.path) update(layer);
    for (const Layer& layer : block.shortcut) update(layer);
  }
}

TrainingPlan::TrainingPlan(const ResNetLayout& net, TrainedTensors& tensors, size_t batch, int size,
                           NormOptions norms)
    : impl_(std::make_unique<Impl>(net, tensors, batch, size, norms)) {}
TrainingPlan::~TrainingPlan() = default;
size_t TrainingPlan::batch() const { return impl_->batch(); }
void TrainingPlan::pack_weights() { impl_->pack_weights(); }
View<const float> TrainingPlan::forward(const float* images) {
  impl_->forward(images);
  return impl_->features();
}
void TrainingPlan::backward(const float* dfeatures, bool add) { impl_->backward(dfeatures, add); }
void TrainingPlan::update_statistics() { impl_->update_statistics(); }

}  // namespace spml
