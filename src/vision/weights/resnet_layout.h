// The shape of a ResNet: which convolutions it has, under torchvision's names. The weights reader,
// the inference network and the trainable module are all built from this description.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

// Where a bottleneck block halves the resolution: the original network (v1) in its first 1x1
// convolution, torchvision's (v1.5) in the 3x3. Basic blocks (ResNet-18 and 34) have no such
// choice.
enum class ResNetVariant { kV1, kV1_5 };

std::string_view to_string(ResNetVariant variant);  // "v1", "v1.5"

// A convolution without bias and the batch normalisation behind it.
struct ConvLayout {
  std::string conv, bn;  // "layer1.0.conv1", "layer1.0.bn1"
  size_t in, out, kernel, stride;
};

struct BlockLayout {
  std::string name;  // "layer1.0"
  std::vector<ConvLayout> path;
  std::optional<ConvLayout> shortcut;  // the identity when absent
};

struct ResNetLayout {
  int depth = 50;
  ResNetVariant variant = ResNetVariant::kV1_5;
  ConvLayout stem{};
  std::vector<BlockLayout> blocks;
  size_t features = 0;  // D

  std::string name() const { return "resnet" + std::to_string(depth); }
  std::vector<ConvLayout> convolutions() const;  // all of them, the stem first
};

// Where a part of a network begins: 0 is the stem, with everything behind it; 1 to 4 are the layers
// "layer1" to "layer4" of torchvision's names.
int layer_number(std::string_view name);  // "conv1" is 0; Error for another name
size_t blocks_before(const ResNetLayout& net, int layer);

// What goes into a layer (1 to 4) for images of size x size: side x side positions.
struct MapShape {
  size_t side = 0, channels = 0;
  size_t numbers() const { return side * side * channels; }
};
MapShape input_of_layer(const ResNetLayout& net, int layer, int size);
size_t channels_of_layer(const ResNetLayout& net, int layer);  // of the map that comes out of it

// depth: 18, 34, 50 or 101; Error for another. width: channels of the stem and of layer1's 3x3
// convolutions, doubled from layer to layer; 64 in the published networks.
ResNetLayout resnet_layout(int depth, ResNetVariant variant, size_t width = 64);

}  // namespace spml
