#include "data/dataset_json.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/fail.h"
#include "formats/json.h"

namespace spml {
namespace {

constexpr size_t kMaxPath = 4096;  // of Linux

// The text under `key`, or "" when the key is not there.
std::string text_of(const nlohmann::json& object, const char* key, std::string_view where) {
  const auto value = object.find(key);
  if (value == object.end()) return "";
  if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
    fail("{}: expected '{}' to be text, found {}", where, key, value->dump().substr(0, 40));
  }
  auto text = value->get<std::string>();
  if (text.find('\0') != std::string::npos) fail("{}: '{}' has a zero byte", where, key);
  return text;
}

std::vector<std::string> class_names(const nlohmann::json& json, std::string_view where) {
  const auto value = json.find("classes");
  if (value == json.end()) return {};
  if (!value->is_array() || value->empty()) {
    fail("{}: expected 'classes' to be a list of names", where);
  }
  std::vector<std::string> names;
  std::unordered_map<std::string_view, size_t> entry_of;  // texts of the JSON, which stays
  for (const auto& name : *value) {
    if (!name.is_string() || name.get_ref<const std::string&>().empty()) {
      fail("{}: expected 'classes' to be a list of names, entry {} is not one", where,
           names.size());
    }
    const auto [place, is_new] = entry_of.emplace(name.get_ref<const std::string&>(), names.size());
    if (!is_new) {
      fail(
          "{}: expected 'classes' to have each name once, found '{}' as entries {} and {}; rename "
          "one",
          where, place->first.substr(0, 100), place->second, names.size());
    }
    names.push_back(name.get<std::string>());
  }
  return names;
}

// Keys that folders of earlier versions do not have: what they stand for is the default.
FeaturePooling pooling_of(const nlohmann::json& object, std::string_view where) {
  FeaturePooling pooling;
  const auto parsed = [&](const char* key, auto parse, auto& value) {
    if (!object.contains(key)) return;
    try {
      value = parse(text_of(object, key, where), fmt::format("{}: '{}'", where, key));
    } catch (const Error& error) {
      fail("{}", error.what());  // not the command line's mistake
    }
  };
  parsed("layers", parse_layers, pooling.layers);
  parsed("pool", parse_pools, pooling.pools);
  if (const auto p = object.find("gem_p"); p != object.end()) {
    if (!p->is_number() || !(*p >= kMinGemP && *p <= kMaxGemP)) {
      fail("{}: expected 'gem_p' to be a number from {} to {}, found {}", where, kMinGemP, kMaxGemP,
           p->dump().substr(0, 40));
    }
    pooling.gem_p = p->get<double>();
  }
  if (const auto mirror = object.find("mirror"); mirror != object.end()) {
    if (!mirror->is_boolean()) {
      fail("{}: expected 'mirror' to be true or false, found {}", where,
           mirror->dump().substr(0, 40));
    }
    pooling.mirror = mirror->get<bool>();
  }
  return pooling;
}

// A number, or a list of several.
std::vector<int> sizes_of(const nlohmann::json& object, std::string_view where) {
  std::vector<int> sizes;
  if (const auto found = object.find("size"); found != object.end()) {
    const auto list = found->is_array() ? *found : nlohmann::json::array({*found});
    for (const auto& size : list) {
      const bool is_size = size.is_number_unsigned() && size >= 1 && size <= kMaxImageSize;
      if (!is_size || sizes.size() == kMaxImageSizes) {
        sizes.clear();
        break;
      }
      sizes.push_back(size.get<int>());
    }
  }
  if (sizes.empty()) {
    fail("{}: expected 'extraction' to have a 'size' from 1 to {} pixels, or a list of up to {}",
         where, kMaxImageSize, kMaxImageSizes);
  }
  return sizes;
}

}  // namespace

// The variant of a TorchScript network is "", which text_of() would refuse.
FeatureOrigin parse_feature_origin(const nlohmann::json& object, std::string_view where) {
  if (!object.is_object()) fail("{}: expected 'extraction' to be an object", where);
  FeatureOrigin origin;
  origin.backbone.file = text_of(object, "weights", where);
  origin.backbone.sha256 = text_of(object, "weights_sha256", where);
  origin.backbone.architecture = text_of(object, "architecture", where);
  if (const nlohmann::json none = ""; object.value("variant", none) != none) {
    origin.backbone.variant = text_of(object, "variant", where);
  }
  origin.sizes = sizes_of(object, where);
  origin.pooling = pooling_of(object, where);
  return origin;
}

DatasetInfo parse_dataset_json(std::string_view text, std::string_view where) {
  const nlohmann::json json = parse_json(text, where);
  if (!json.is_object()) fail("{}: expected a JSON object, found {}", where, json.type_name());
  DatasetInfo info;
  info.name = text_of(json, "name", where);
  info.image_root = text_of(json, "image_root", where);
  if (info.image_root.size() > kMaxPath) {
    fail("{}: expected 'image_root' to have at most {} bytes, found {}", where, kMaxPath,
         info.image_root.size());
  }
  info.classes = class_names(json, where);
  if (const auto k = json.find("expected_positives"); k != json.end()) {
    if (!k->is_number() || !(k->get<double>() > 0) || !std::isfinite(k->get<double>())) {
      fail("{}: expected 'expected_positives' to be a positive number, found {}", where,
           k->dump().substr(0, 40));
    }
    info.expected_positives = k->get<double>();
  }
  if (const auto features = json.find("features"); features != json.end()) {
    if (!features->is_object()) {
      fail("{}: expected 'features' to be an object with 'train' and 'val'", where);
    }
    info.train_features = text_of(*features, "train", where);
    info.val_features = text_of(*features, "val", where);
  }
  if (const auto extraction = json.find("extraction"); extraction != json.end()) {
    info.extraction = parse_feature_origin(*extraction, where);
  }
  return info;
}

nlohmann::ordered_json to_json(const FeatureOrigin& origin) {
  nlohmann::ordered_json json{{"weights", origin.backbone.file},
                              {"weights_sha256", origin.backbone.sha256},
                              {"architecture", origin.backbone.architecture},
                              {"variant", origin.backbone.variant},
                              {"size", origin.sizes}};
  if (origin.sizes.size() == 1) json["size"] = origin.sizes.front();
  const FeaturePooling& pooling = origin.pooling;
  if (pooling.is_plain()) return json;
  if (pooling.layers != FeaturePooling{}.layers) json["layers"] = layers_text(pooling.layers);
  json["pool"] = to_string(pooling.pools);
  if (std::ranges::find(pooling.pools, Pool::kGem) != pooling.pools.end()) {
    json["gem_p"] = pooling.gem_p;
  }
  if (pooling.mirror) json["mirror"] = true;
  return json;
}

std::string to_json(const DatasetInfo& info) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!info.name.empty()) json["name"] = info.name;
  if (!info.classes.empty()) json["classes"] = info.classes;
  if (info.expected_positives) json["expected_positives"] = *info.expected_positives;
  if (!info.image_root.empty()) json["image_root"] = info.image_root;
  if (!info.train_features.empty()) json["features"]["train"] = info.train_features;
  if (!info.val_features.empty()) json["features"]["val"] = info.val_features;
  if (info.extraction) json["extraction"] = to_json(*info.extraction);
  try {
    return json.dump(1) + "\n";
  } catch (const nlohmann::json::exception&) {
    fail("dataset.json: expected names of classes and of the image folder in UTF-8");
  }
}

}  // namespace spml
