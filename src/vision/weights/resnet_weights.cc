#include "vision/weights/resnet_weights.h"

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "formats/safetensors.h"
#include "formats/torch_checkpoint.h"

namespace spml {
namespace {

constexpr std::string_view kBatchNorm[] = {"weight", "bias", "running_mean", "running_var"};

using Shapes = std::map<std::string, std::vector<size_t>, std::less<>>;

Shapes expected_shapes(const ResNetLayout& layout) {
  Shapes shapes;
  for (const ConvLayout& c : layout.convolutions()) {
    shapes[c.conv + ".weight"] = {c.out, c.in, c.kernel, c.kernel};
    for (const std::string_view part : kBatchNorm) {
      shapes[fmt::format("{}.{}", c.bn, part)] = {c.out};
    }
  }
  return shapes;
}

// By the number of blocks in layer 3 and by whether blocks have three convolutions.
int recognise_depth(const Shapes& tensors, std::string_view where) {
  const auto has = [&](const std::string& name) { return tensors.contains(name); };
  if (has("layer3.22.conv3.weight")) return 101;
  if (has("layer1.0.conv3.weight")) return 50;
  if (has("layer3.5.conv2.weight")) return 34;
  if (has("layer3.1.conv2.weight")) return 18;
  fail(
      "{}: expected the weights of a ResNet-18, 34, 50 or 101 under torchvision's names, found no "
      "'layer3.1.conv2.weight'",
      where);
}

// Networks of fewer channels than the published 64 are for trying things out. Any other number is
// taken for 64, so that a tensor of another shape is named.
size_t recognise_width(const Shapes& tensors) {
  const auto stem = tensors.find("conv1.weight");
  if (stem == tensors.end() || stem->second.empty()) return 64;
  const size_t width = stem->second[0];
  return width == 16 || width == 32 ? width : 64;
}

// The network that tensors of these shapes are; Error when one is missing, too many or different.
ResNetLayout check_shapes(const Shapes& found, ResNetVariant variant, std::string_view where) {
  ResNetLayout layout =
      resnet_layout(recognise_depth(found, where), variant, recognise_width(found));
  Shapes expected = expected_shapes(layout);
  if (const auto fc = found.find("fc.weight"); fc != found.end()) {
    const size_t classes = fc->second.empty() ? 0 : fc->second[0];
    expected["fc.weight"] = {classes, layout.features};
    expected["fc.bias"] = {classes};
  }
  for (const auto& [name, shape] : expected) {
    const auto tensor = found.find(name);
    if (tensor == found.end()) {
      fail("{}: expected the tensors of a {}, '{}' is missing", where, layout.name(), name);
    }
    if (tensor->second != shape) {
      fail("{}: '{}': expected shape {}, found {}", where, name, shape, tensor->second);
    }
  }
  for (const auto& [name, shape] : found) {
    if (!expected.contains(name)) {
      fail("{}: expected the tensors of a plain {}, found '{}' as well", where, layout.name(),
           name);
    }
  }
  return layout;
}

void check_values(const std::string& name, const NamedTensor& tensor, std::string_view where) {
  const size_t elements =
      std::accumulate(tensor.shape.begin(), tensor.shape.end(), size_t{1}, std::multiplies<>());
  if (tensor.values.size() != elements) {
    fail("{}: '{}': expected {} numbers, found {}", where, name, elements, tensor.values.size());
  }
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    if (!std::isfinite(tensor.values[i])) {
      fail("{}: '{}': element {} is not a finite number", where, name, i);
    }
  }
}

void check_variances(const ResNetWeights& weights, std::string_view where) {
  for (const ConvLayout& c : weights.layout.convolutions()) {
    for (const float variance : weights.values(c.bn + ".running_var")) {
      if (variance < 0) fail("{}: '{}.running_var': a negative variance", where, c.bn);
    }
  }
}

bool is_counter(std::string_view name) { return name.ends_with(".num_batches_tracked"); }

// The tensors of a file whose names start with `prefix`. All shapes are checked before any value is
// read: a file with a hole may claim gigabytes.
template <class File>
NamedTensors read_tensors(const File& file, std::string_view prefix, ResNetVariant variant) {
  Shapes shapes;
  for (const auto& [name, info] : file.tensors()) {
    if (!name.starts_with(prefix) || is_counter(name)) continue;
    shapes[name.substr(prefix.size())] = info.shape;
  }
  check_shapes(shapes, variant, file.path().string());
  NamedTensors tensors;
  for (auto& [name, shape] : shapes) {
    tensors[name] = {std::move(shape), file.floats(std::string(prefix) + name)};
  }
  return tensors;
}

double parse_epsilon(const std::string& text, std::string_view where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1) {
    fail("{}: expected metadata 'bn_eps' in (0, 1], found '{}'", where, text.substr(0, 40));
  }
  return value;
}

ResNetVariant parse_variant(const std::string& text, std::string_view where) {
  for (const ResNetVariant variant : {ResNetVariant::kV1, ResNetVariant::kV1_5}) {
    if (text == to_string(variant)) return variant;
  }
  fail("{}: expected metadata 'variant' v1 or v1.5, found '{}'", where, text.substr(0, 40));
}

bool is_zip(const Path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return bytes.size() >= 2 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
}

}  // namespace

const std::vector<float>& ResNetWeights::values(std::string_view name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) fail("no tensor '{}' among the network's weights", name);
  return found->second.values;
}

ResNetWeights check_resnet(NamedTensors tensors, ResNetVariant variant, std::string_view where) {
  std::erase_if(tensors, [](const auto& t) { return is_counter(t.first); });
  Shapes shapes;
  for (const auto& [name, tensor] : tensors) shapes[name] = tensor.shape;
  ResNetWeights weights;
  weights.layout = check_shapes(shapes, variant, where);
  for (const auto& [name, tensor] : tensors) check_values(name, tensor, where);
  weights.tensors = std::move(tensors);
  check_variances(weights, where);
  return weights;
}

ResNetWeights load_resnet(const Path& path, std::string_view prefix) {
  const SafetensorsFile file(path);
  const auto& metadata = file.metadata();
  const auto named = metadata.find("variant");
  const ResNetVariant variant =
      named == metadata.end() ? ResNetVariant::kV1_5 : parse_variant(named->second, path.string());
  ResNetWeights weights = check_resnet(read_tensors(file, prefix, variant), variant, path.string());
  if (const auto epsilon = metadata.find("bn_eps"); epsilon != metadata.end()) {
    weights.bn_epsilon = parse_epsilon(epsilon->second, path.string());
  }
  for (const char* key : {"source", "sha256"}) {
    if (const auto value = metadata.find(key); value != metadata.end()) {
      weights.origin[key] = value->second;
    }
  }
  return weights;
}

void describe_resnet(const ResNetLayout& layout, double bn_epsilon, SafetensorsWriter& out) {
  out.add_metadata("architecture", layout.name());
  out.add_metadata("variant", std::string(to_string(layout.variant)));
  out.add_metadata("bn_eps", fmt::format("{}", bn_epsilon));
}

void save_resnet(const ResNetWeights& weights, const Path& path) {
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : weights.tensors) {
    writer.add(name, tensor.shape, std::span<const float>(tensor.values));
  }
  describe_resnet(weights.layout, weights.bn_epsilon, writer);
  for (const auto& [key, value] : weights.origin) writer.add_metadata(key, value);
  writer.write(path);
}

ResNetWeights import_resnet(const Path& path) {
  if (!is_zip(path)) return load_resnet(path);
  constexpr ResNetVariant kVariant = ResNetVariant::kV1_5;
  return check_resnet(read_tensors(TorchCheckpoint(path), "", kVariant), kVariant, path.string());
}

}  // namespace spml
