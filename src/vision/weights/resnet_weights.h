// The weights of a ResNet under torchvision's names: read strictly, written as safetensors.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "vision/weights/resnet_layout.h"

namespace spml {

class SafetensorsWriter;

struct NamedTensor {
  std::vector<size_t> shape;
  std::vector<float> values;
};
using NamedTensors = std::map<std::string, NamedTensor, std::less<>>;

// The networks expect RGB in [0, 1], less this mean, divided by this deviation.
inline constexpr float kImageMean[3] = {0.485f, 0.456f, 0.406f};
inline constexpr float kImageStd[3] = {0.229f, 0.224f, 0.225f};

struct ResNetWeights {
  ResNetLayout layout;
  double bn_epsilon = 1e-5;
  NamedTensors tensors;
  std::map<std::string, std::string> origin;  // "source" and "sha256", where known

  const std::vector<float>& values(std::string_view name) const;
};

// Recognises the architecture and checks that every tensor is there with its shape and finite
// values, and no other (the classifier fc.* is optional and kept; num_batches_tracked is dropped).
// `where` names the file in errors.
ResNetWeights check_resnet(NamedTensors tensors, ResNetVariant variant, std::string_view where);

// A .safetensors file: its tensors whose names start with `prefix`, which is dropped. Without a
// variant in the metadata it is taken for torchvision's, v1.5.
ResNetWeights load_resnet(const Path& path, std::string_view prefix = "");
void save_resnet(const ResNetWeights& weights, const Path& path);
// Adds the metadata that load_resnet() looks for.
void describe_resnet(const ResNetLayout& layout, double bn_epsilon, SafetensorsWriter& out);

// A torchvision or timm state dict, .safetensors or .pth (told by content).
ResNetWeights import_resnet(const Path& path);

}  // namespace spml
