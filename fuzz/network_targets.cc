// Weights of networks, their checkpoints, what they have cached, and the journal of an extraction.
#include <cstring>
#include <limits>

#include "formats/safetensors.h"
#include "memory_file.h"
#include "sections.h"
#include "targets.h"
#include "vision/activation_cache.h"
#include "vision/finetune_model.h"
#include "vision/image/resize.h"
#include "vision/partial_features.h"

namespace spml {
namespace {

// Reads small numbers off the input; zeros at its end.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T next() {
    T value{};
    const size_t n = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), n);
    bytes_ = bytes_.subspan(n);
    return value;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

NamedTensors sound_resnet() {
  NamedTensors tensors;
  const auto add = [&](const std::string& name, std::vector<size_t> shape) {
    size_t elements = 1;
    for (const size_t dim : shape) elements *= dim;
    tensors[name] = {std::move(shape), std::vector<float>(elements, 0.5f)};
  };
  for (const ConvLayout& c : resnet_layout(18, ResNetVariant::kV1_5).convolutions()) {
    add(c.conv + ".weight", {c.out, c.in, c.kernel, c.kernel});
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
      add(c.bn + part, {c.out});
    }
  }
  return tensors;
}

// Two tensors instead of a network: what is fuzzed is who fills them.
class SmallNetwork : public TrainableNetwork {
 public:
  explicit SmallNetwork(const NetworkOptions& options) {
    add("backbone.conv1.weight", {2, 3});
    add("classifier.weight",
        {options.head_bias.size(), options.head_weight.size() / options.head_bias.size()});
    add("classifier.bias", {options.head_bias.size()});
  }
  const std::vector<Tensor>& tensors() const override { return tensors_; }
  std::vector<float> get(size_t tensor, State state) const override {
    return values_[tensor][static_cast<size_t>(state)];
  }
  void set(size_t tensor, State state, std::span<const float> values) override {
    std::vector<float>& target = values_[tensor][static_cast<size_t>(state)];
    check_size(tensors_[tensor], target.size(), values.size());
    std::ranges::copy(values, target.begin());
  }
  View<const float> forward(std::span<const float>, size_t, bool) override { return {}; }
  void backward(View<const float>) override {}
  void step(const AdamConfig&, uint64_t) override {}
  std::unique_ptr<Backbone> inference_network() const override { return nullptr; }

 private:
  void add(const std::string& name, std::vector<size_t> shape) {
    size_t elements = 1;
    for (const size_t dim : shape) elements *= dim;
    values_.push_back(std::vector(3, std::vector<float>(elements)));
    tensors_.push_back({name, std::move(shape), true});
  }
  std::vector<Tensor> tensors_;
  std::vector<std::vector<std::vector<float>>> values_;  // by tensor and state
};

}  // namespace

bool fuzz_finetune_state(std::span<const std::byte> bytes) {
  const std::string text = assemble_safetensors(split_sections(bytes));
  const MemoryFile file(std::as_bytes(std::span(text)));
  return accepts([&] {
    ResNetWeights weights;
    weights.layout = resnet_layout(18, ResNetVariant::kV1_5);
    weights.layout.features = 2;
    FinetuneOptions options;
    options.labels = 2;
    const auto model = make_finetune_model(weights, {}, {}, options,
                                           [](const ResNetWeights&, const NetworkOptions& network) {
                                             return std::make_unique<SmallNetwork>(network);
                                           });
    model->load_state(SafetensorsFile(file.path()));
    model->restore_best();
  });
}

// Changes to a sound ResNet-18: a tensor left out, renamed, of another shape, of other values.
bool fuzz_resnet(std::span<const std::byte> bytes) {
  static const NamedTensors kSound = sound_resnet();
  Numbers numbers(bytes);
  NamedTensors tensors = kSound;
  while (!numbers.empty()) {
    auto tensor = tensors.begin();
    std::advance(tensor, numbers.next<uint16_t>() % tensors.size());
    switch (numbers.next<uint8_t>() % 6) {
      case 0:
        tensors.erase(tensor);
        break;
      case 1: {
        auto node = tensors.extract(tensor);
        node.key() += "." + std::to_string(numbers.next<uint8_t>());
        tensors.insert(std::move(node));
        break;
      }
      case 2:
        tensor->second.shape.resize(numbers.next<uint8_t>() % 6, numbers.next<uint32_t>());
        break;
      case 3:
        if (!tensor->second.shape.empty()) tensor->second.shape[0] = numbers.next<uint64_t>();
        break;
      case 4:
        tensor->second.values.resize(numbers.next<uint8_t>());
        break;
      default:
        if (!tensor->second.values.empty()) tensor->second.values[0] = numbers.next<float>();
    }
    if (tensors.empty()) break;
  }
  return accepts([&] { check_resnet(std::move(tensors), ResNetVariant::kV1_5, "fuzz"); });
}

bool fuzz_resize(std::span<const std::byte> bytes) {
  Numbers numbers(bytes);
  const auto side = [&] { return 1 + numbers.next<uint16_t>() % 100; };
  Image image;
  image.width = side();
  image.height = side();
  const int width = side(), height = side();
  image.rgb.resize(3 * static_cast<size_t>(image.width) * static_cast<size_t>(image.height));
  const uint8_t slope = numbers.next<uint8_t>();
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<uint8_t>(i * slope);
  const Image resized = resize_bilinear(image, width, height);
  if (resized.rgb.size() != 3 * static_cast<size_t>(width) * static_cast<size_t>(height)) ::abort();
  return true;
}

// Sections "plain" and "mirrored": the files of two images, which are not there, so that the
// checksums do not depend on them. An entry that is not whole is made again and then is.
bool fuzz_activations(std::span<const std::byte> bytes) {
  static FuzzFolder folder;
  folder.clear();
  for (const Section& section : split_sections(bytes)) {
    if (section.title == "plain") folder.put("layer4/plain.f16", section.bytes);
    if (section.title == "mirrored") folder.put("layer4/mirrored.f16", section.bytes);
  }
  size_t whole = 0;
  accepts([&] {
    ActivationCache cache(folder.path(), "layer4", {"no.jpg", "none.jpg"}, 4);
    for (const size_t row : {0, 1}) {
      for (const bool mirrored : {false, true}) {
        std::vector<uint16_t> halves(4), again(4);
        whole += cache.read(row, mirrored, halves);
        cache.write(row, mirrored, halves);
        if (!cache.read(row, mirrored, again) || again != halves) ::abort();
      }
    }
  });
  return whole > 0;
}

// Sections "journal" and "partial": what a killed extraction left, or a stranger.
bool fuzz_journal(std::span<const std::byte> bytes) {
  static FuzzFolder folder;
  folder.clear();
  for (const Section& section : split_sections(bytes)) {
    if (section.title == "journal") folder.put(".f.journal", section.bytes);
    if (section.title == "partial") folder.put(".f.partial", section.bytes);
  }
  return accepts([&] {
    PartialFeatures out(folder.path() / "f.npy", {.rows = 4, .cols = 2, .half = false},
                        {{"size", 32}}, false);
    const std::vector<float> row(2);
    while (out.done() < 4) out.append({row.data(), 1, 2});
    out.place();
    out.forget();
  });
}

}  // namespace spml
