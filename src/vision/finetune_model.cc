#include "vision/finetune_model.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "base/rng.h"
#include "formats/safetensors.h"
#include "linear/linear_model.h"
#include "vision/feature_stream.h"
#include "vision/network_inputs.h"

namespace spml {
namespace {

constexpr size_t kPredictBatch = 16;

using State = TrainableNetwork::State;

// What a checkpoint holds of a tensor, under these names.
struct SavedState {
  State state;
  const char* prefix;
};
constexpr SavedState kSavedStates[] = {{State::kValue, "model.value."},
                                       {State::kFirstMoment, "model.m."},
                                       {State::kSecondMoment, "model.v."}};
constexpr const char* kBestPrefix = "model.best.";

LinearConfig head_config(const FinetuneOptions& options, size_t features) {
  LinearConfig config;
  config.features = features;
  config.labels = options.labels;
  config.threads = options.threads;
  config.seed = options.seed;
  return config;
}

class FinetuneModel : public Model {
 public:
  FinetuneModel(const ResNetWeights& weights, std::vector<Path> train_images,
                std::vector<Path> test_images, const FinetuneOptions& options,
                const NetworkMaker& make_network)
      : options_(options),
        layout_(weights.layout),
        bn_epsilon_(weights.bn_epsilon),
        files_{std::move(train_images), std::move(test_images)},
        inputs_(make_inputs(weights)),
        head_on_features_(head_config(options, layout_.features), {}, nullptr, nullptr),
        net_(make_network(weights, network_options())) {}

  View<const float> forward(std::span<const int32_t> rows) override;
  void prefetch(std::span<const int32_t> rows) override;
  void backward(View<const float> dlogits) override;
  void finish_step() override {}
  void predict(Part part, std::span<const int32_t> rows, size_t first_label,
               View<float> out) override;
  bool predicts_label_blocks() const override { return false; }
  void keep_best() override;
  void restore_best() override;
  void save_state(SafetensorsWriter& out) override;
  void load_state(const SafetensorsFile& in) override;
  void save_model(SafetensorsWriter& out) override;

 private:
  NetworkOptions network_options() const;
  std::vector<Path> files_of(Part part, std::span<const int32_t> rows) const;
  std::unique_ptr<NetworkInputs> make_inputs(const ResNetWeights& weights) const;
  void load_batch(std::span<const int32_t> rows);
  void predict_images(Part part, std::span<const int32_t> rows, size_t first_label,
                      View<float> out);
  void predict_maps(std::span<const int32_t> rows, size_t first_label, View<float> out);
  template <class Visit>
  void for_parts(size_t rows, const Visit& visit) const;
  std::span<const float> images(size_t begin, size_t end) const;
  void add(SafetensorsWriter& out, const std::string& name, size_t tensor,
           std::vector<float> values);

  FinetuneOptions options_;
  ResNetLayout layout_;
  double bn_epsilon_;
  std::vector<Path> files_[2];             // by Part
  std::unique_ptr<NetworkInputs> inputs_;  // of the training file
  LinearModel head_on_features_;           // the linear layer, as linear runs compute it
  std::unique_ptr<TrainableNetwork> net_;
  std::vector<std::vector<float>> best_;  // by tensor, as of the best epoch; empty without one
  uint64_t step_ = 0;                     // optimiser steps taken
  std::vector<float> images_;             // of the batch, or what layers below made of them
  std::vector<float> logits_;             // of the batch
  // For predict(), dropped when the weights change; frozen_maps_ from the first layer trained.
  std::unique_ptr<Backbone> frozen_, frozen_maps_;
  std::vector<std::vector<float>> written_;  // what a writer refers to
};

NetworkOptions FinetuneModel::network_options() const {
  NetworkOptions network = options_;
  if (network.head_weight.empty()) {
    network.head_weight = head_on_features_.weight();
    network.head_bias.assign(head_on_features_.bias().begin(), head_on_features_.bias().end());
  }
  if (network.head_weight.size() != options_.labels * layout_.features ||
      network.head_bias.size() != options_.labels) {
    fail("expected a linear layer of {} labels and {} features to start from", options_.labels,
         layout_.features);
  }
  return network;
}

std::vector<Path> FinetuneModel::files_of(Part part, std::span<const int32_t> rows) const {
  std::vector<Path> files;
  for (const int32_t row : rows) {
    files.push_back(files_[static_cast<size_t>(part)].at(static_cast<size_t>(row)));
  }
  return files;
}

std::unique_ptr<NetworkInputs> FinetuneModel::make_inputs(const ResNetWeights& weights) const {
  const auto& files = files_[static_cast<size_t>(Part::kTrainFile)];
  if (options_.first_layer == 0) return make_image_inputs(files, options_.size, options_.threads);
  return make_map_inputs(weights, files,
                         {.layer = options_.first_layer,
                          .size = options_.size,
                          .threads = options_.threads,
                          .cache = options_.cache,
                          .weights_sha256 = options_.weights_sha256});
}

void FinetuneModel::prefetch(std::span<const int32_t> rows) { inputs_->prefetch(rows); }

// Each image is mirrored with probability 1/2: a function of the seed, the step and the place in
// the batch.
void FinetuneModel::load_batch(std::span<const int32_t> rows) {
  std::vector<bool> mirrored;
  for (size_t b = 0; b < rows.size(); ++b) {
    const uint64_t counter = step_ * rows.size() + b;
    mirrored.push_back((random_u64(options_.seed, Stream::kAugmentation, counter) >> 63) != 0);
  }
  images_.resize(rows.size() * inputs_->numbers());
  inputs_->load(rows, mirrored, images_);
}

// visit(begin, end) for each part in which a batch goes through the network.
template <class Visit>
void FinetuneModel::for_parts(size_t rows, const Visit& visit) const {
  const size_t part = (rows + options_.accumulate - 1) / options_.accumulate;
  for (size_t begin = 0; begin < rows; begin += part) visit(begin, std::min(rows, begin + part));
}

std::span<const float> FinetuneModel::images(size_t begin, size_t end) const {
  const size_t image = inputs_->numbers();
  return std::span(images_).subspan(begin * image, (end - begin) * image);
}

View<const float> FinetuneModel::forward(std::span<const int32_t> rows) {
  load_batch(rows);
  if (options_.accumulate == 1) return net_->forward(images_, rows.size(), true);
  logits_.clear();
  for_parts(rows.size(), [&](size_t begin, size_t end) {
    const auto logits = net_->forward(images(begin, end), end - begin, false).flat();
    logits_.insert(logits_.end(), logits.begin(), logits.end());
  });
  return {logits_.data(), rows.size(), options_.labels};
}

void FinetuneModel::backward(View<const float> dlogits) {
  if (options_.accumulate == 1) {
    net_->backward(dlogits);
  } else {
    for_parts(dlogits.rows, [&](size_t begin, size_t end) {
      net_->forward(images(begin, end), end - begin, true);
      net_->backward({dlogits.row(begin), end - begin, dlogits.cols});
    });
  }
  net_->step(options_.adam, ++step_);
  frozen_ = nullptr;
  frozen_maps_ = nullptr;
}

// Training images of a network that is trained from a layer on are there as that layer's input.
void FinetuneModel::predict(Part part, std::span<const int32_t> rows, size_t first_label,
                            View<float> out) {
  const size_t tensors = net_->tensors().size();  // the linear layer's are the last
  head_on_features_.set_weights(net_->get(tensors - 2, State::kValue),
                                net_->get(tensors - 1, State::kValue));
  if (options_.first_layer > 0 && part == Part::kTrainFile) {
    predict_maps(rows, first_label, out);
  } else {
    predict_images(part, rows, first_label, out);
  }
}

void FinetuneModel::predict_maps(std::span<const int32_t> rows, size_t first_label,
                                 View<float> out) {
  if (frozen_maps_ == nullptr) frozen_maps_ = net_->inference_from_first_layer();
  const size_t D = layout_.features;
  std::vector<float> maps(kPredictBatch * inputs_->numbers()), features(kPredictBatch * D);
  std::vector<int32_t> all(kPredictBatch);
  std::iota(all.begin(), all.end(), 0);
  for (size_t begin = 0; begin < rows.size(); begin += kPredictBatch) {
    const size_t B = std::min(kPredictBatch, rows.size() - begin);
    const auto batch = std::span(maps).first(B * inputs_->numbers());
    inputs_->load(rows.subspan(begin, B), std::vector<bool>(B, false), batch);
    frozen_maps_->run(batch, options_.size, {features.data(), B, D});
    head_on_features_.predict(FeatureMatrix(View<const float>{features.data(), B, D}),
                              std::span(all).first(B), first_label, {out.row(begin), B, out.cols});
  }
}

void FinetuneModel::predict_images(Part part, std::span<const int32_t> rows, size_t first_label,
                                   View<float> out) {
  if (frozen_ == nullptr) frozen_ = net_->inference_network();
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

void FinetuneModel::keep_best() {
  best_.clear();
  for (size_t i = 0; i < net_->tensors().size(); ++i) best_.push_back(net_->get(i, State::kValue));
}

void FinetuneModel::restore_best() {
  for (size_t i = 0; i < best_.size(); ++i) net_->set(i, State::kValue, best_[i]);
  frozen_ = nullptr;
  frozen_maps_ = nullptr;
}

void FinetuneModel::add(SafetensorsWriter& out, const std::string& name, size_t tensor,
                        std::vector<float> values) {
  written_.push_back(std::move(values));
  out.add(name, net_->tensors()[tensor].shape, written_.back());
}

void FinetuneModel::save_state(SafetensorsWriter& out) {
  written_.clear();
  for (size_t i = 0; i < net_->tensors().size(); ++i) {
    const TrainableNetwork::Tensor& tensor = net_->tensors()[i];
    for (const auto& [state, prefix] : kSavedStates) {
      if (state != State::kValue && !tensor.trained) continue;
      add(out, prefix + tensor.name, i, net_->get(i, state));
    }
    if (!best_.empty()) add(out, kBestPrefix + tensor.name, i, best_[i]);
  }
  out.add_metadata("model.step", std::to_string(step_));
}

void FinetuneModel::load_state(const SafetensorsFile& in) {
  const auto read = [&](const std::string& name, size_t expected) {
    std::vector<float> values = in.floats(name);
    if (values.size() != expected) {
      fail("{}: expected {} values in '{}', found {}; the checkpoint is of another configuration",
           in.path().string(), expected, name, values.size());
    }
    return values;
  };
  // All of the best weights or none: they are paired with the tensors by their place.
  const auto& all = net_->tensors();
  const bool has_best = std::ranges::any_of(
      all, [&](const auto& tensor) { return in.contains(kBestPrefix + tensor.name); });
  best_.clear();
  for (size_t i = 0; i < all.size(); ++i) {
    const TrainableNetwork::Tensor& tensor = all[i];
    const size_t size =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), size_t{1}, std::multiplies<>());
    for (const auto& [state, prefix] : kSavedStates) {
      if (state != State::kValue && !tensor.trained) continue;
      net_->set(i, state, read(prefix + tensor.name, size));
    }
    if (has_best) best_.push_back(read(kBestPrefix + tensor.name, size));
  }
  step_ = metadata_number(in, "model.step");
  frozen_ = nullptr;
  frozen_maps_ = nullptr;
}

void FinetuneModel::save_model(SafetensorsWriter& out) {
  written_.clear();
  for (size_t i = 0; i < net_->tensors().size(); ++i) {
    add(out, net_->tensors()[i].name, i, net_->get(i, State::kValue));
  }
  describe_resnet(layout_, bn_epsilon_, out);
  out.add_metadata("image_size", std::to_string(options_.size));
}

}  // namespace

std::unique_ptr<Model> make_finetune_model(const ResNetWeights& weights,
                                           std::vector<Path> train_images,
                                           std::vector<Path> test_images,
                                           const FinetuneOptions& options,
                                           const NetworkMaker& make_network) {
  return std::make_unique<FinetuneModel>(weights, std::move(train_images), std::move(test_images),
                                         options, make_network);
}

}  // namespace spml
