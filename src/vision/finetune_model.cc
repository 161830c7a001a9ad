#include "vision/finetune_model.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "base/rng.h"
#include "formats/safetensors.h"
#include "linear/linear_model.h"
#include "vision/adam_update.h"
#include "vision/feature_stream.h"
#include "vision/normalise.h"
#include "vision/resnet.h"

namespace spml {
namespace {

constexpr size_t kPredictBatch = 16;

torch::Device choose_device(const std::string& name) {
  if (name == "auto") return torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    const torch::Device device(name);
    if (device.is_cuda() && !torch::cuda::is_available()) {
      fail("--device {}: this LibTorch has no CUDA, or there is no such card; use cpu", name);
    }
    if (device.is_cpu() || device.is_cuda()) return device;
  } catch (const c10::Error&) {
  }
  fail_usage("--device: expected auto, cpu, cuda or cuda:N, found '{}'", name);
}

LinearConfig head_config(const FinetuneOptions& options, size_t features) {
  LinearConfig config;
  config.features = features;
  config.labels = options.labels;
  config.threads = options.threads;
  config.seed = options.seed;
  return config;
}

// A tensor of the network under its name, and what the optimiser keeps for it.
struct Slot {
  std::string name;          // "backbone.conv1.weight", "classifier.bias"
  torch::Tensor value;       // shared with the module
  torch::Tensor m, v;        // undefined for what is not trained
  double rate_factor = 1.0;  // of the learning rate
  torch::Tensor best;        // as of the best epoch; undefined until there is one
};

std::span<float> flat(torch::Tensor& t) {
  return {t.data_ptr<float>(), static_cast<size_t>(t.numel())};
}

class FinetuneModel : public Model {
 public:
  FinetuneModel(const ResNetWeights& weights, std::vector<Path> train_images,
                std::vector<Path> test_images, const FinetuneOptions& options)
      : options_(options),
        device_(choose_device(options.device)),
        files_{std::move(train_images), std::move(test_images)},
        net_(weights),
        head_(static_cast<int64_t>(weights.layout.features), static_cast<int64_t>(options.labels)),
        head_on_features_(head_config(options, weights.layout.features), {}, nullptr, nullptr) {
    start_head();
    net_->to(device_);
    head_->to(device_);
    for (auto& parameter : net_->parameters()) {
      if (parameter.dim() == 4) {
        parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
      }
    }
    list_slots();
  }

  View<const float> forward(std::span<const int32_t> rows) override;
  void prefetch(std::span<const int32_t> rows) override;
  void backward(View<const float> dlogits) override;
  void finish_step() override {}
  void predict(Part part, std::span<const int32_t> rows, size_t first_label,
               View<float> out) override;
  bool predicts_label_blocks() const override { return false; }
  void keep_best() override {
    for (Slot& slot : slots_) slot.best = slot.value.detach().clone();
  }
  void restore_best() override;
  void save_state(SafetensorsWriter& out) override;
  void load_state(const SafetensorsFile& in) override;
  void save_model(SafetensorsWriter& out) override;

 private:
  void start_head();
  void list_slots();
  void set_training_mode();
  std::vector<Path> files_of(Part part, std::span<const int32_t> rows) const;
  torch::Tensor load_batch(std::span<const int32_t> rows);
  torch::Tensor logits_of(const torch::Tensor& images) { return head_(net_(images)); }
  torch::Tensor logits_in_parts(const torch::Tensor& images);
  std::vector<torch::Tensor> parts(const torch::Tensor& batch) const;
  void update();
  std::unique_ptr<Backbone> inference_network() const;
  void add(SafetensorsWriter& out, const std::string& name, const torch::Tensor& tensor);
  void read(const SafetensorsFile& in, const std::string& name, torch::Tensor& target) const;

  FinetuneOptions options_;
  torch::Device device_;
  std::vector<Path> files_[2];  // by Part
  ResNet net_;
  torch::nn::Linear head_;
  LinearModel head_on_features_;  // the same layer, as linear runs compute it
  std::vector<Slot> slots_;
  uint64_t step_ = 0;      // optimiser steps taken
  torch::Tensor images_;   // of the batch, kept for a second pass when it is taken in parts
  torch::Tensor logits_;   // with its graph, unless taken in parts
  torch::Tensor visible_;  // the logits handed out
  std::vector<int32_t> ahead_rows_;
  std::unique_ptr<ImageQueue> ahead_;   // images of ahead_rows_
  std::unique_ptr<Backbone> frozen_;    // for predict(); dropped when the weights change
  std::vector<torch::Tensor> written_;  // what a writer refers to
};

void FinetuneModel::start_head() {
  const torch::NoGradGuard no_grad;
  std::vector<float> weight = options_.head_weight, bias = options_.head_bias;
  if (weight.empty()) {
    weight = head_on_features_.weight();
    bias.assign(head_on_features_.bias().begin(), head_on_features_.bias().end());
  }
  if (weight.size() != static_cast<size_t>(head_->weight.numel()) ||
      bias.size() != options_.labels) {
    fail("expected a linear layer of {} labels and {} features to start from", options_.labels,
         head_->weight.size(1));
  }
  head_->weight.copy_(torch::from_blob(weight.data(), head_->weight.sizes()));
  head_->bias.copy_(torch::from_blob(bias.data(), head_->bias.sizes()));
}

void FinetuneModel::list_slots() {
  const auto add = [&](const std::string& name, torch::Tensor value, double factor, bool trained) {
    Slot slot{name, value, {}, {}, factor, {}};
    value.set_requires_grad(trained);
    if (trained) {
      slot.m = torch::zeros_like(value);
      slot.v = torch::zeros_like(value);
    }
    slots_.push_back(std::move(slot));
  };
  for (auto& item : net_->named_parameters()) {
    // Convolutions have no bias here: every vector belongs to batch normalisation.
    const bool frozen = options_.freeze_bn && item.value().dim() == 1;
    add("backbone." + item.key(), item.value(), 1, !frozen);
  }
  for (auto& item : net_->named_buffers()) {
    if (item.key().ends_with("num_batches_tracked")) continue;  // nothing depends on it
    add("backbone." + item.key(), item.value(), 1, false);
  }
  add("classifier.weight", head_->weight, options_.head_lr_factor, true);
  add("classifier.bias", head_->bias, options_.head_lr_factor, true);
}

void FinetuneModel::set_training_mode() {
  at::set_num_threads(options_.threads);
  net_->train();
  if (!options_.freeze_bn) return;
  for (auto& module : net_->modules(false)) {
    if (module->as<torch::nn::BatchNorm2d>() != nullptr) module->eval();
  }
}

std::vector<Path> FinetuneModel::files_of(Part part, std::span<const int32_t> rows) const {
  std::vector<Path> files;
  for (const int32_t row : rows) {
    files.push_back(files_[static_cast<size_t>(part)].at(static_cast<size_t>(row)));
  }
  return files;
}

void FinetuneModel::prefetch(std::span<const int32_t> rows) {
  ahead_rows_.assign(rows.begin(), rows.end());
  ahead_ = rows.empty()
               ? nullptr
               : std::make_unique<ImageQueue>(files_of(Part::kTrainFile, rows),
                                              ImageQueue::Options{.size = options_.size,
                                                                  .threads = options_.threads,
                                                                  .ahead = rows.size(),
                                                                  .decode = {}});
}

// B x 3 x size x size, channels last, each image mirrored with probability 1/2: a function of the
// seed, the step and the place in the batch.
torch::Tensor FinetuneModel::load_batch(std::span<const int32_t> rows) {
  if (ahead_ == nullptr || !std::ranges::equal(rows, ahead_rows_)) prefetch(rows);
  const auto B = static_cast<int64_t>(rows.size());
  torch::Tensor batch =
      torch::empty({B, 3, options_.size, options_.size}, torch::MemoryFormat::ChannelsLast);
  const size_t pixels = static_cast<size_t>(batch.numel()) / rows.size();
  for (size_t b = 0; b < rows.size(); ++b) {
    const LoadedImage loaded = ahead_->next();
    if (!loaded.error.empty()) fail("{} (row {} of the training file)", loaded.error, rows[b]);
    const uint64_t counter = step_ * rows.size() + b;
    const bool flip = (random_u64(options_.seed, Stream::kAugmentation, counter) >> 63) != 0;
    normalise_channels_last(loaded.image, flip, flat(batch).subspan(b * pixels, pixels));
  }
  ahead_.reset();
  return batch.to(device_);
}

std::vector<torch::Tensor> FinetuneModel::parts(const torch::Tensor& batch) const {
  return batch.chunk(static_cast<int64_t>(options_.accumulate));
}

// Logits without a graph; the running statistics are left for the second pass to update.
torch::Tensor FinetuneModel::logits_in_parts(const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> statistics, logits;
  for (const torch::Tensor& buffer : net_->buffers()) statistics.push_back(buffer.clone());
  for (const torch::Tensor& part : parts(images)) logits.push_back(logits_of(part));
  const auto buffers = net_->buffers();
  for (size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(statistics[i]);
  return torch::cat(logits);
}

View<const float> FinetuneModel::forward(std::span<const int32_t> rows) {
  set_training_mode();
  images_ = load_batch(rows);
  logits_ = options_.accumulate == 1 ? logits_of(images_) : logits_in_parts(images_);
  visible_ = logits_.detach().to(torch::kCPU).contiguous();
  return {visible_.data_ptr<float>(), rows.size(), options_.labels};
}

// The loss has given its gradient with respect to the logits; torch takes it from there.
void FinetuneModel::backward(View<const float> dlogits) {
  set_training_mode();
  const torch::Tensor gradient =
      torch::from_blob(const_cast<float*>(dlogits.data),
                       {static_cast<int64_t>(dlogits.rows), static_cast<int64_t>(dlogits.cols)})
          .to(device_);
  if (options_.accumulate == 1) {
    logits_.backward(gradient);
  } else {
    const auto image_parts = parts(images_), gradient_parts = parts(gradient);
    for (size_t i = 0; i < image_parts.size(); ++i) {
      logits_of(image_parts[i]).backward(gradient_parts[i]);
    }
  }
  logits_ = images_ = torch::Tensor();
  update();
  frozen_ = nullptr;
}

void FinetuneModel::update() {
  const torch::NoGradGuard no_grad;
  ++step_;
  for (Slot& slot : slots_) {
    if (!slot.m.defined()) continue;
    AdamConfig config = options_.adam;
    config.lr *= slot.rate_factor;
    const AdamStep k(config, step_);
    torch::Tensor g = slot.value.grad();
    if (device_.is_cpu()) {
      // The same order in memory as the weights; torch promises as much for dense tensors.
      if (g.strides() != slot.value.strides()) g = torch::empty_like(slot.value).copy_(g);
      adam_update(k, flat(slot.value), flat(g), flat(slot.m), flat(slot.v), options_.threads);
    } else {
      if (k.weight_decay != 0) g = g + k.weight_decay * slot.value;
      slot.m.mul_(k.beta1).add_(g, k.one_minus_beta1);
      slot.v.mul_(k.beta2).addcmul_(g, g, k.one_minus_beta2);
      slot.value.addcdiv_(slot.m, slot.v.sqrt().add_(k.eps), -k.rate);
    }
    slot.value.mutable_grad() = torch::Tensor();
  }
}

// On the CPU the folded inference network, on a card the module itself.
class ModuleBackbone : public Backbone {
 public:
  ModuleBackbone(ResNet net, torch::Device device) : net_(std::move(net)), device_(device) {}
  size_t features() const override { return net_->layout().features; }
  void run(std::span<const float> images, int size, View<float> out) override {
    const torch::NoGradGuard no_grad;
    net_->eval();
    const torch::Tensor batch = torch::from_blob(const_cast<float*>(images.data()),
                                                 {static_cast<int64_t>(out.rows), 3, size, size});
    const torch::Tensor features = net_(batch.to(device_)).to(torch::kCPU).contiguous();
    std::copy_n(features.data_ptr<float>(), out.size(), out.data);
  }

 private:
  ResNet net_;
  torch::Device device_;
};

std::unique_ptr<Backbone> FinetuneModel::inference_network() const {
  if (device_.is_cpu()) return make_inference_resnet(net_->weights(), options_.threads);
  return std::make_unique<ModuleBackbone>(net_, device_);
}

void FinetuneModel::predict(Part part, std::span<const int32_t> rows, size_t first_label,
                            View<float> out) {
  if (frozen_ == nullptr) {
    frozen_ = inference_network();
    torch::Tensor weight = head_->weight.detach().to(torch::kCPU).contiguous();
    torch::Tensor bias = head_->bias.detach().to(torch::kCPU).contiguous();
    head_on_features_.set_weights(flat(weight), flat(bias));
  }
  FeatureStream stream(files_of(part, rows), *frozen_, kPredictBatch,
                       {.size = options_.size,
                        .threads = options_.threads,
                        .ahead = 2 * kPredictBatch,
                        .decode = {}});
  std::vector<int32_t> all(kPredictBatch);
  std::iota(all.begin(), all.end(), 0);
  for (size_t begin = 0; !stream.done();) {
    const FeatureBatch batch = stream.next();
    const size_t B = batch.features.rows;
    for (size_t b = 0; b < B; ++b) {
      if (!batch.errors[b].empty()) fail("{} (row {})", batch.errors[b], rows[begin + b]);
    }
    head_on_features_.predict(FeatureMatrix(batch.features), std::span(all).first(B), first_label,
                              {out.row(begin), B, out.cols});
    begin += B;
  }
}

void FinetuneModel::restore_best() {
  const torch::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    if (slot.best.defined()) slot.value.copy_(slot.best);
  }
  frozen_ = nullptr;
}

// In C order, whatever the order in memory.
void FinetuneModel::add(SafetensorsWriter& out, const std::string& name,
                        const torch::Tensor& tensor) {
  written_.push_back(tensor.detach().to(torch::kCPU).contiguous());
  const auto sizes = tensor.sizes();
  out.add(name, {sizes.begin(), sizes.end()}, flat(written_.back()));
}

void FinetuneModel::save_state(SafetensorsWriter& out) {
  written_.clear();
  for (const Slot& slot : slots_) {
    add(out, "model.value." + slot.name, slot.value);
    if (slot.m.defined()) {
      add(out, "model.m." + slot.name, slot.m);
      add(out, "model.v." + slot.name, slot.v);
    }
    if (slot.best.defined()) add(out, "model.best." + slot.name, slot.best);
  }
  out.add_metadata("model.step", std::to_string(step_));
}

void FinetuneModel::read(const SafetensorsFile& in, const std::string& name,
                         torch::Tensor& target) const {
  std::vector<float> values = in.floats(name);
  if (values.size() != static_cast<size_t>(target.numel())) {
    fail("{}: expected {} values in '{}', found {}; the checkpoint is of another configuration",
         in.path().string(), target.numel(), name, values.size());
  }
  target.copy_(torch::from_blob(values.data(), target.sizes()));
}

void FinetuneModel::load_state(const SafetensorsFile& in) {
  const torch::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    read(in, "model.value." + slot.name, slot.value);
    if (slot.m.defined()) {
      read(in, "model.m." + slot.name, slot.m);
      read(in, "model.v." + slot.name, slot.v);
    }
    slot.best = torch::Tensor();
    if (in.contains("model.best." + slot.name)) {
      slot.best = torch::empty_like(slot.value);
      read(in, "model.best." + slot.name, slot.best);
    }
  }
  step_ = std::stoull(in.metadata().at("model.step"));
  frozen_ = nullptr;
}

void FinetuneModel::save_model(SafetensorsWriter& out) {
  written_.clear();
  for (const Slot& slot : slots_) add(out, slot.name, slot.value);
  describe_resnet(net_->layout(), net_->bn_epsilon(), out);
  out.add_metadata("image_size", std::to_string(options_.size));
}

}  // namespace

std::unique_ptr<Model> make_finetune_model(const ResNetWeights& weights,
                                           std::vector<Path> train_images,
                                           std::vector<Path> test_images,
                                           const FinetuneOptions& options) {
  return std::make_unique<FinetuneModel>(weights, std::move(train_images), std::move(test_images),
                                         options);
}

}  // namespace spml
