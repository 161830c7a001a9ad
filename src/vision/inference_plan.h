// A ResNet compiled for inference on one image of one resolution: batch normalisation folded into
// the convolutions, ReLU and residual sums fused with them.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "spml/view.h"
#include "vision/folded_conv.h"
#include "vision/onednn.h"
#include "vision/weights/resnet_weights.h"

namespace spml {

// Weights in the layout that oneDNN chose for them, shared by all plans.
class InferenceWeights {
 public:
  InferenceWeights(const ResNetWeights& weights, dnnl::engine engine);

  dnnl::memory weights(const ConvLayout& c, const onednn::Dims& shape,
                       const dnnl::memory::desc& desc);
  dnnl::memory bias(const ConvLayout& c);
  const dnnl::engine& engine() const { return engine_; }

 private:
  dnnl::engine engine_;
  std::mutex mutex_;
  std::unordered_map<std::string, FoldedConv> folded_;
  std::unordered_map<std::string, dnnl::memory> packed_;
};

// Activations live in a few buffers: a block reads one, its inner convolutions write kInner and
// kInner2, and its last one adds onto the shortcut in place, which becomes the next block's input.
class InferencePlan {
 public:
  // What is wanted of the map behind a block.
  struct Output {
    size_t end_block;   // behind it
    bool mean = false;  // over all positions
    bool map = false;   // the map itself
  };
  // The part of the network that is computed.
  struct Section {
    int first_layer = 0;
    std::vector<Output> outputs;  // from low to high; the last block is the last one's
  };

  // The layout and the weights must outlive the plan. size: of the images.
  InferencePlan(const ResNetLayout& net, InferenceWeights& weights, int size,
                const Section& section);

  // input: an image, 3 x size x size; or, from a layer on, its map, positions x channels.
  void run(const float* input);
  // Of the last run, what was asked of an output: positions x channels, and channels.
  View<const float> map(size_t output) const;
  std::span<const float> mean(size_t output) const;

 private:
  enum Buffer : size_t { kInput, kShortcut, kInner, kInner2, kScratch, kBuffers };

  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, dnnl::memory> arguments;
  };

  void add_step(dnnl::primitive primitive, const dnnl::memory::desc& scratch,
                std::unordered_map<int, dnnl::memory> arguments);
  dnnl::memory add_input(const ResNetLayout& net, int size, int first_layer);
  dnnl::memory add_block(const BlockLayout& block, const dnnl::memory& x, size_t& spare);
  dnnl::memory convolve(const ConvLayout& c, const dnnl::memory& input, size_t buffer, bool relu);
  dnnl::memory convolve_onto(const ConvLayout& c, const dnnl::memory& input,
                             const dnnl::memory& sum);
  dnnl::memory convolve(const ConvLayout& c, dnnl::memory input, const dnnl::post_ops& fused,
                        const dnnl::memory* output, size_t buffer);
  dnnl::memory reordered(const dnnl::memory& from, const dnnl::memory& to);
  dnnl::memory max_pool(const dnnl::memory& input, size_t buffer);
  dnnl::memory average_pool(const dnnl::memory& input);
  dnnl::memory pool(const dnnl::memory& input, const onednn::Dims& result,
                    dnnl::algorithm algorithm, const onednn::Dims& strides,
                    const onednn::Dims& kernel, const onednn::Dims& padding, size_t buffer);

  InferenceWeights& weights_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory input_;
  std::vector<dnnl::memory> means_, maps_;  // of the outputs; empty where not asked for
  std::vector<Step> steps_;
  onednn::SharedBuffers buffers_;
  std::vector<dnnl::memory> allocated_;  // the buffers' memory
};

}  // namespace spml
