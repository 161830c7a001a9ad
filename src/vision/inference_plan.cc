#include "vision/inference_plan.h"

#include <utility>

namespace spml {

using namespace onednn;

InferenceWeights::InferenceWeights(const ResNetWeights& weights, dnnl::engine engine)
    : engine_(std::move(engine)) {
  for (const ConvLayout& c : weights.layout.convolutions()) folded_[c.conv] = fold(weights, c);
}

memory InferenceWeights::weights(const ConvLayout& c, const Dims& shape, const memory::desc& desc) {
  const std::lock_guard lock(mutex_);
  memory& packed = packed_[c.conv];
  if (!packed || packed.get_desc() != desc) {
    dnnl::stream stream(engine_);
    memory from({shape, kF32, Tag::oihw}, engine_, folded_[c.conv].weights.data());
    packed = memory(desc, engine_);
    dnnl::reorder(from, packed).execute(stream, from, packed);
    stream.wait();
  }
  return packed;
}

memory InferenceWeights::bias(const ConvLayout& c) {
  return memory({{static_cast<int64_t>(c.out)}, kF32, Tag::a}, engine_,
                folded_.at(c.conv).bias.data());
}

InferencePlan::InferencePlan(const ResNetLayout& net, InferenceWeights& weights, int size,
                             const Section& section)
    : weights_(weights), engine_(weights.engine()), stream_(engine_), buffers_(engine_, kBuffers) {
  memory x = add_input(net, size, section.first_layer);
  size_t spare = kShortcut, block = blocks_before(net, section.first_layer);
  for (const Output& output : section.outputs) {
    for (; block < output.end_block; ++block) x = add_block(net.blocks.at(block), x, spare);
    const Dims dims = x.get_desc().dims();
    maps_.push_back(output.map ? reordered(x, memory({dims, kF32, Tag::nhwc}, engine_)) : memory());
    means_.push_back(output.mean ? average_pool(x) : memory());
  }
  buffers_.allocate_all([this](size_t bytes) {
    const Dims all{static_cast<int64_t>(bytes)};
    return allocated_.emplace_back(memory::desc(all, memory::data_type::u8, Tag::a), engine_)
        .get_data_handle();
  });
}

void InferencePlan::run(const float* input) {
  input_.set_data_handle(const_cast<float*>(input));
  for (Step& step : steps_) step.primitive.execute(stream_, step.arguments);
  stream_.wait();
}

View<const float> InferencePlan::map(size_t output) const {
  const memory& map = maps_.at(output);
  const Dims dims = map.get_desc().dims();
  return {static_cast<const float*>(map.get_data_handle()), static_cast<size_t>(dims[2] * dims[3]),
          static_cast<size_t>(dims[1])};
}

std::span<const float> InferencePlan::mean(size_t output) const {
  const memory& mean = means_.at(output);
  return {static_cast<const float*>(mean.get_data_handle()),
          static_cast<size_t>(mean.get_desc().dims()[1])};
}

void InferencePlan::add_step(dnnl::primitive primitive, const memory::desc& scratch,
                             std::unordered_map<int, memory> arguments) {
  arguments[DNNL_ARG_SCRATCHPAD] = buffers_.tensor(scratch, kScratch);
  steps_.push_back({std::move(primitive), std::move(arguments)});
}

// A map is copied: a block without a shortcut of its own writes over its input.
memory InferencePlan::add_input(const ResNetLayout& net, int size, int first_layer) {
  if (first_layer == 0) {
    input_ = memory({{1, 3, size, size}, kF32, Tag::nchw}, engine_, nullptr);
    return max_pool(convolve(net.stem, input_, kInner, true), kInput);
  }
  const MapShape map = input_of_layer(net, first_layer, size);
  const auto side = static_cast<int64_t>(map.side), channels = static_cast<int64_t>(map.channels);
  input_ = memory({{1, channels, side, side}, kF32, Tag::nhwc}, engine_, nullptr);
  return reordered(input_, buffers_.tensor(input_.get_desc(), kInput));
}

// `spare`: which of kInput and kShortcut is free for a shortcut's output.
memory InferencePlan::add_block(const BlockLayout& block, const memory& x, size_t& spare) {
  memory shortcut = x;
  if (block.shortcut) {
    shortcut = convolve(*block.shortcut, x, spare, false);
    spare = spare == kShortcut ? kInput : kShortcut;
  }
  memory inner = x;
  for (size_t i = 0; i + 1 < block.path.size(); ++i) {
    inner = convolve(block.path[i], inner, i == 0 ? kInner : kInner2, true);
  }
  return convolve_onto(block.path.back(), inner, shortcut);
}

// relu(w*x + b), or without the relu.
memory InferencePlan::convolve(const ConvLayout& c, const memory& input, size_t buffer, bool relu) {
  dnnl::post_ops fused;
  if (relu) fused.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  return convolve(c, input, fused, nullptr, buffer);
}

// relu(w*x + b + sum), written over `sum`.
memory InferencePlan::convolve_onto(const ConvLayout& c, const memory& input, const memory& sum) {
  dnnl::post_ops fused;
  fused.append_sum(1.0f);
  fused.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  return convolve(c, input, fused, &sum, kBuffers);
}

memory InferencePlan::convolve(const ConvLayout& c, memory input, const dnnl::post_ops& fused,
                               const memory* output, size_t buffer) {
  const ConvShapes shapes(c, input.get_desc().dims());
  const auto described = [&](dnnl::algorithm algorithm, bool may_be_empty) {
    return dnnl::convolution_forward::primitive_desc(
        {dnnl::prop_kind::forward_inference, algorithm, any(input.get_desc().dims()),
         any(shapes.weights), memory::desc({shapes.out[1]}, kF32, Tag::a),
         output != nullptr ? output->get_desc() : any(shapes.out), shapes.strides, shapes.padding,
         shapes.padding},
        attributes(fused), engine_, may_be_empty);
  };
  // Winograd's has fewer products; features differ by some 1e-6 of their mean. Not every processor
  // has it, nor every shape.
  dnnl::convolution_forward::primitive_desc conv;
  if (c.kernel == 3 && c.stride == 1) conv = described(dnnl::algorithm::convolution_winograd, true);
  if (!conv) conv = described(dnnl::algorithm::convolution_direct, false);
  if (conv.src_desc() != input.get_desc()) {
    input = reordered(input, memory(conv.src_desc(), engine_));
  }
  memory to = output != nullptr ? *output : buffers_.tensor(conv.dst_desc(), buffer);
  add_step(dnnl::convolution_forward(conv), conv.scratchpad_desc(),
           {{DNNL_ARG_SRC, input},
            {DNNL_ARG_WEIGHTS, weights_.weights(c, shapes.weights, conv.weights_desc())},
            {DNNL_ARG_BIAS, weights_.bias(c)},
            {DNNL_ARG_DST, to}});
  return to;
}

// A change of layout, into memory of its own. (Such reorders use no scratch memory.)
memory InferencePlan::reordered(const memory& from, const memory& to) {
  steps_.push_back({dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}});
  return to;
}

memory InferencePlan::max_pool(const memory& input, size_t buffer) {
  const StemPool stem(input.get_desc().dims());
  return pool(input, stem.out, dnnl::algorithm::pooling_max, stem.strides, stem.kernel,
              stem.padding, buffer);
}

// The mean over all positions, as D plain numbers.
memory InferencePlan::average_pool(const memory& input) {
  const Dims in = input.get_desc().dims(), result{1, in[1], 1, 1};
  const memory mean =
      pool(input, result, dnnl::algorithm::pooling_avg, {1, 1}, {in[2], in[3]}, {0, 0}, kInner);
  return reordered(mean, memory({result, kF32, Tag::nchw}, engine_));
}

memory InferencePlan::pool(const memory& input, const Dims& result, dnnl::algorithm algorithm,
                           const Dims& strides, const Dims& kernel, const Dims& padding,
                           size_t buffer) {
  const dnnl::pooling_forward::primitive_desc desc(
      {dnnl::prop_kind::forward_inference, algorithm, input.get_desc(), any(result), strides,
       kernel, padding, padding},
      attributes(), engine_);
  memory output = buffers_.tensor(desc.dst_desc(), buffer);
  add_step(dnnl::pooling_forward(desc), desc.scratchpad_desc(),
           {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}});
  return output;
}

}  // namespace spml
