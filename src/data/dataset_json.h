// dataset.json: what a data folder says about itself. Every key is optional; unknown keys are
// left to others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/feature_pooling.h"

namespace spml {

// The network that made the features.
struct BackboneInfo {
  std::string file, sha256;           // its weights
  std::string architecture, variant;  // "resnet50", "v1"; "torchscript", ""
  bool operator==(const BackboneInfo&) const = default;
};

// How the features were made from images.
struct FeatureOrigin {
  BackboneInfo backbone;
  std::vector<int> sizes;  // of the resized images, in pixels: at most kMaxImageSize
  FeaturePooling pooling{};
  // One pass of plain images of this size, which is also what a network in training sees.
  bool is_plain(int size) const { return sizes == std::vector{size} && pooling.is_plain(); }
  bool operator==(const FeatureOrigin&) const = default;
};

inline constexpr size_t kMaxDatasetJson = size_t{1} << 26;  // bytes of the file

struct DatasetInfo {
  std::string name;
  std::vector<std::string> classes;
  std::optional<double> expected_positives;
  std::string image_root;
  std::string train_features, val_features;  // relative to the folder; "" = the usual name
  std::optional<FeatureOrigin> extraction;   // left by `spml extract`
};

// Error that starts with `where` for a value of the wrong type or out of range.
DatasetInfo parse_dataset_json(std::string_view text, std::string_view where);

nlohmann::ordered_json to_json(const FeatureOrigin& origin);
FeatureOrigin parse_feature_origin(const nlohmann::json& object, std::string_view where);
std::string to_json(const DatasetInfo& info);

}  // namespace spml
