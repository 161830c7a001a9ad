#include "vision/training_plan.h"

#include <functional>

#include "base/aligned.h"
#include "base/fail.h"
#include "base/memory_budget.h"
#include "vision/onednn.h"
#include "vision/residual.h"
#include "vision/trainable_network.h"

namespace spml {
namespace {

using namespace onednn;

using Arguments = std::unordered_map<int, memory>;

}  // namespace

class TrainingPlan::Impl {
 public:
  Impl(const ResNetLayout& net, TrainedTensors& tensors, const PlanInput& input, NormOptions norms)
      : tensors_(tensors),
        frozen_norms_(norms.frozen),
        epsilon_(static_cast<float>(norms.epsilon)),
        batch_(input.batch),
        what_(fmt::format("training at {} pixels, {} images at a time", input.size, input.batch)),
        features_(input.batch * net.features),
        dfeatures_(input.batch * net.features),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        buffers_(engine_, kBuffers) {
    MapShape shape{static_cast<size_t>(input.size), 3};
    if (input.first_layer > 0) shape = input_of_layer(net, input.first_layer, input.size);
    const auto side = static_cast<int64_t>(shape.side);
    input_ =
        memory({{static_cast<int64_t>(batch_), static_cast<int64_t>(shape.channels), side, side},
                kF32,
                Tag::nhwc},
               engine_, nullptr);
    build_forward(net, input.first_layer);
    build_backward();
    buffers_.allocate_all([this](size_t bytes) { return allocate(bytes); });
  }

  size_t batch() const { return batch_; }
  View<const float> features() const {
    return {features_.data(), batch_, features_.size() / batch_};
  }

  void pack_weights() { run(pack_); }
  void forward(const float* inputs) {
    input_.set_data_handle(const_cast<float*>(inputs));
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
  // normalisation and convolution (kRaw) and behind a normalisation (kInner). kOtherInput and
  // kOtherRaw: the same in another layout, for the few shapes where a primitive asks for one.
  enum Buffer : size_t {
    kFirst,
    kSecond,
    kThird,
    kRaw,
    kInner,
    kOtherInput,
    kOtherRaw,
    kWeights,
    kScratch,
    kBuffers
  };
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
  struct Pool {
    dnnl::pooling_forward::primitive_desc desc;
    dnnl::algorithm algorithm;
    Dims strides, kernel, padding;
    memory output, workspace;
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

  void* allocate(size_t bytes) {
    in_all_ += bytes;
    budget_.require(in_all_, what_);
    return allocated_.emplace_back(bytes).data();
  }
  memory own(const memory::desc& desc) {
    return memory(desc, engine_, allocate(std::max<size_t>(desc.get_size(), kAlignment)));
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
    memory result = own(desc);
    add_reorder(pack_, plain, result);
    return result;
  }

  // A tensor of the backward pass in the layout that a primitive wants: nearly always its own.
  memory arranged(const memory& from, const memory::desc& desc, size_t buffer) {
    if (desc == from.get_desc()) return from;
    memory result = buffers_.tensor(desc, buffer);
    add_reorder(backward_, from, result);
    return result;
  }

  void build_forward(const ResNetLayout& net, int first_layer);
  memory build_stem(const ResNetLayout& net);
  Block make_block(const BlockLayout& layout, const memory& input);
  void build_backward();
  Layer make_layer(const ConvLayout& c, const memory& input, bool relu,
                   const memory::desc* raw = nullptr);
  Pool make_pool(const memory& input, dnnl::algorithm algorithm, const Dims& out,
                 const Dims& strides, const Dims& kernel, const Dims& padding);
  void differentiate(const Layer& layer, const memory& doutput, const memory* dinput);
  void differentiate(const Pool& pool, const memory& doutput, const memory& dinput);
  void differentiate_weights(const Layer& layer, const memory& draw);
  void differentiate_norm(const Layer& layer, const memory& doutput, const memory& draw);
  dnnl::normalization_flags norm_flags(bool relu) const;

  TrainedTensors& tensors_;
  bool frozen_norms_;
  float epsilon_;
  size_t batch_;
  const MemoryBudget budget_;
  std::string what_;  // that needs memory
  uint64_t in_all_ = 0;
  std::vector<float> features_, dfeatures_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<AlignedVector<std::byte>> allocated_;
  SharedBuffers buffers_;
  memory input_;
  std::vector<Layer> stem_;  // one, or none from a layer on
  Pool max_pool_, average_;  // behind the stem, behind the last block
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
  const Dims in = layer.input.get_desc().dims();
  const dnnl::convolution_backward_weights::primitive_desc desc(
      {dnnl::algorithm::convolution_direct, any(in), any(s.weights), any(s.out), s.strides,
       s.padding, s.padding},
      attributes(), engine_, layer.conv);
  const memory packed_gradient = buffers_.tensor(desc.diff_weights_desc(), kWeights);
  add_step<dnnl::convolution_backward_weights>(
      backward_, desc,
      {{DNNL_ARG_SRC, arranged(layer.input, desc.src_desc(), kOtherInput)},
       {DNNL_ARG_DIFF_DST, arranged(draw, desc.diff_dst_desc(), kOtherRaw)},
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
      {dnnl::algorithm::convolution_direct, any(dinput->get_desc().dims()), any(s.weights),
       any(s.out), s.strides, s.padding, s.padding},
      attributes(), engine_, layer.conv);
  const bool same = desc.diff_src_desc() == dinput->get_desc();
  const memory found = same ? *dinput : buffers_.tensor(desc.diff_src_desc(), kOtherInput);
  add_step<dnnl::convolution_backward_data>(
      backward_, desc,
      {{DNNL_ARG_DIFF_DST, arranged(draw, desc.diff_dst_desc(), kOtherRaw)},
       {DNNL_ARG_WEIGHTS, packed(layer, desc.weights_desc())},
       {DNNL_ARG_DIFF_SRC, found}});
  if (!same) add_reorder(backward_, found, *dinput);
}

TrainingPlan::Impl::Pool TrainingPlan::Impl::make_pool(const memory& input,
                                                       dnnl::algorithm algorithm, const Dims& out,
                                                       const Dims& strides, const Dims& kernel,
                                                       const Dims& padding) {
  Pool pool{{{dnnl::prop_kind::forward_training, algorithm, input.get_desc(), any(out), strides,
              kernel, padding, padding},
             attributes(),
             engine_},
            algorithm,
            strides,
            kernel,
            padding,
            {},
            {}};
  pool.output = own(pool.desc.dst_desc());
  pool.workspace = own(pool.desc.workspace_desc());
  add_step<dnnl::pooling_forward>(
      forward_, pool.desc,
      {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, pool.output}, {DNNL_ARG_WORKSPACE, pool.workspace}});
  return pool;
}

void TrainingPlan::Impl::differentiate(const Pool& pool, const memory& doutput,
                                       const memory& dinput) {
  const dnnl::pooling_backward::primitive_desc desc(
      {pool.algorithm, dinput.get_desc(), doutput.get_desc(), pool.strides, pool.kernel,
       pool.padding, pool.padding},
      attributes(), engine_, pool.desc);
  add_step<dnnl::pooling_backward>(backward_, desc,
                                   {{DNNL_ARG_DIFF_DST, doutput},
                                    {DNNL_ARG_WORKSPACE, pool.workspace},
                                    {DNNL_ARG_DIFF_SRC, dinput}});
}

TrainingPlan::Impl::Block TrainingPlan::Impl::make_block(const BlockLayout& layout,
                                                         const memory& input) {
  Block block{.path = {}, .shortcut = {}, .input = input, .output = input};
  memory around = input;
  if (layout.shortcut) {
    block.shortcut.push_back(make_layer(*layout.shortcut, input, false));
    around = block.shortcut.back().output;
  }
  for (size_t i = 0; i < layout.path.size(); ++i) {
    const bool last = i + 1 == layout.path.size();
    // Added element by element, the two branches must agree in their layout.
    const memory::desc sum = around.get_desc();
    block.path.push_back(make_layer(layout.path[i], block.output, !last, last ? &sum : nullptr));
    block.output = block.path.back().output;
  }
  forward_.push_back([sum = block.output, around] { add_and_clip(sum, around); });
  return block;
}

memory TrainingPlan::Impl::build_stem(const ResNetLayout& net) {
  stem_.push_back(make_layer(net.stem, input_, true));
  const memory stem = stem_.back().output;
  const StemPool shape(stem.get_desc().dims());
  max_pool_ = make_pool(stem, dnnl::algorithm::pooling_max, shape.out, shape.strides, shape.kernel,
                        shape.padding);
  return max_pool_.output;
}

void TrainingPlan::Impl::build_forward(const ResNetLayout& net, int first_layer) {
  memory x = first_layer == 0 ? build_stem(net) : input_;
  for (size_t i = blocks_before(net, first_layer); i < net.blocks.size(); ++i) {
    blocks_.push_back(make_block(net.blocks[i], x));
    x = blocks_.back().output;
  }
  const Dims last = x.get_desc().dims(), mean{last[0], last[1], 1, 1};
  average_ = make_pool(x, dnnl::algorithm::pooling_avg, mean, {1, 1}, {last[2], last[3]}, {0, 0});
  add_reorder(forward_, average_.output,
              memory({mean, kF32, Tag::nchw}, engine_, features_.data()));
}

void TrainingPlan::Impl::build_backward() {
  const memory daverage = own(average_.output.get_desc());
  const memory::desc plain(daverage.get_desc().dims(), kF32, Tag::nchw);
  add_reorder(backward_, memory(plain, engine_, dfeatures_.data()), daverage);
  size_t buffer = kFirst;
  memory d = buffers_.tensor(blocks_.back().output.get_desc(), buffer);  // of a block's output
  memory also;  // what the other branch of the block behind it adds to d
  differentiate(average_, daverage, d);
  for (size_t b = blocks_.size(); b-- > 0;) {
    const Block& block = blocks_[b];
    if (also) {
      backward_.push_back([=, y = block.output] { add_where_positive(d, also, y); });
    } else {
      backward_.push_back([=, y = block.output] { keep_where_positive(d, y); });
    }
    const bool first = b == 0 && stem_.empty();  // nothing below learns
    const size_t through = (buffer + 1) % 3, around = (buffer + 2) % 3;
    memory dinput;
    if (!first) dinput = buffers_.tensor(block.input.get_desc(), through);
    memory inner = d;
    for (size_t i = block.path.size(); i-- > 0;) {
      const memory below =
          i == 0 ? dinput : buffers_.tensor(block.path[i - 1].output.get_desc(), kInner);
      differentiate(block.path[i], inner, i == 0 && first ? nullptr : &below);
      inner = below;
    }
    also = d;
    if (!block.shortcut.empty()) {
      if (!first) also = buffers_.tensor(block.input.get_desc(), around);
      differentiate(block.shortcut.front(), d, first ? nullptr : &also);
    }
    d = dinput;
    buffer = through;
  }
  if (stem_.empty()) return;
  backward_.push_back([=] { add(d, also); });
  const memory dstem = buffers_.tensor(stem_.back().output.get_desc(), kInner);
  differentiate(max_pool_, d, dstem);
  differentiate(stem_.back(), dstem, nullptr);
}

void TrainingPlan::Impl::update_statistics() {
  if (frozen_norms_) return;
  const auto update = [this](const Layer& layer) {
    const Dims& out = layer.shapes.out;
    const auto n = static_cast<float>(out[0] * out[2] * out[3]);
    const auto move = [](std::vector<float>& running, const memory& found, float factor) {
      for (size_t c = 0; c < running.size(); ++c) {
        running[c] += kNormMomentum * (factor * floats(found)[c] - running[c]);
      }
    };
    move(tensor(layer.layout.bn + ".running_mean").value, layer.mean, 1);
    move(tensor(layer.layout.bn + ".running_var").value, layer.variance, n / (n - 1));
  };
  for (const Layer& layer : stem_) update(layer);
  for (const Block& block : blocks_) {
    for (const Layer& layer : block.path) update(layer);
    for (const Layer& layer : block.shortcut) update(layer);
  }
}

TrainingPlan::TrainingPlan(const ResNetLayout& net, TrainedTensors& tensors, const PlanInput& input,
                           NormOptions norms)
    : impl_(std::make_unique<Impl>(net, tensors, input, norms)) {}
TrainingPlan::~TrainingPlan() = default;
size_t TrainingPlan::batch() const { return impl_->batch(); }
void TrainingPlan::pack_weights() { impl_->pack_weights(); }
View<const float> TrainingPlan::forward(const float* inputs) {
  impl_->forward(inputs);
  return impl_->features();
}
void TrainingPlan::backward(const float* dfeatures, bool add) { impl_->backward(dfeatures, add); }
void TrainingPlan::update_statistics() { impl_->update_statistics(); }

}  // namespace spml
