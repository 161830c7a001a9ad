#include "vision/weights/resnet_layout.h"

#include <algorithm>
#include <array>

#include "base/fail.h"

namespace spml {
namespace {

struct Depth {
  int depth;
  bool bottleneck;
  std::array<size_t, 4> blocks;
};
constexpr std::array<Depth, 4> kDepths{{{18, false, {2, 2, 2, 2}},
                                        {34, false, {3, 4, 6, 3}},
                                        {50, true, {3, 4, 6, 3}},
                                        {101, true, {3, 4, 23, 3}}}};

BlockLayout make_block(std::string name, bool bottleneck, ResNetVariant variant, size_t in,
                       size_t width, size_t stride) {
  BlockLayout block;
  block.name = std::move(name);
  const auto add = [&](size_t from, size_t to, size_t kernel, size_t step) {
    const std::string i = std::to_string(block.path.size() + 1);
    block.path.push_back(
        {block.name + ".conv" + i, block.name + ".bn" + i, from, to, kernel, step});
  };
  const size_t out = bottleneck ? 4 * width : width;
  if (bottleneck) {
    const bool early = variant == ResNetVariant::kV1;
    add(in, width, 1, early ? stride : 1);
    add(width, width, 3, early ? 1 : stride);
    add(width, out, 1, 1);
  } else {
    add(in, width, 3, stride);
    add(width, width, 3, 1);
  }
  if (stride != 1 || in != out) {
    block.shortcut = {
        block.name + ".downsample.0", block.name + ".downsample.1", in, out, 1, stride};
  }
  return block;
}

}  // namespace

std::string_view to_string(ResNetVariant variant) {
  return variant == ResNetVariant::kV1 ? "v1" : "v1.5";
}

std::vector<ConvLayout> ResNetLayout::convolutions() const {
  std::vector<ConvLayout> all{stem};
  for (const BlockLayout& block : blocks) {
    all.insert(all.end(), block.path.begin(), block.path.end());
    if (block.shortcut) all.push_back(*block.shortcut);
  }
  return all;
}

int layer_number(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames{"conv1", "layer1", "layer2", "layer3", "layer4"};
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) fail("expected conv1, layer1, ... or layer4, found '{}'", name);
  return static_cast<int>(found - kNames.begin());
}

size_t blocks_before(const ResNetLayout& net, int layer) {
  if (layer == 0) return 0;
  const std::string first = fmt::format("layer{}.0", layer);
  const auto block = std::ranges::find(net.blocks, first, &BlockLayout::name);
  return static_cast<size_t>(block - net.blocks.begin());
}

MapShape input_of_layer(const ResNetLayout& net, int layer, int size) {
  const auto halved = [](size_t n) { return (n - 1) / 2 + 1; };
  size_t side = halved(halved(static_cast<size_t>(size)));  // the stem and the pooling behind it
  for (int below = 2; below < layer; ++below) side = halved(side);
  return {side, net.blocks.at(blocks_before(net, layer)).path.front().in};
}

size_t channels_of_layer(const ResNetLayout& net, int layer) {
  return net.blocks.at(blocks_before(net, layer + 1) - 1).path.back().out;
}

ResNetLayout resnet_layout(int depth, ResNetVariant variant, size_t width) {
  for (const Depth& known : kDepths) {
    if (known.depth != depth) continue;
    ResNetLayout net;
    net.depth = depth;
    net.variant = variant;
    net.stem = {"conv1", "bn1", 3, width, 7, 2};
    size_t in = width;
    for (size_t layer = 0; layer < 4; ++layer, width *= 2) {
      for (size_t i = 0; i < known.blocks[layer]; ++i) {
        const size_t stride = layer > 0 && i == 0 ? 2 : 1;
        net.blocks.push_back(make_block(fmt::format("layer{}.{}", layer + 1, i), known.bottleneck,
                                        variant, in, width, stride));
        in = net.blocks.back().path.back().out;
      }
    }
    net.features = in;
    return net;
  }
  fail("expected a ResNet of depth 18, 34, 50 or 101, found {}", depth);
}

}  // namespace spml
