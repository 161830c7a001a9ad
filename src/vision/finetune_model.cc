#include "vision/finetune_model.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/fail.h"
#include "base/rng.h"
#include "cluster/deal.h"
#include "formats/safetensors.h"
#include "linear/linear_model.h"
#include "vision/batch_parts.h"
#include "vision/feature_stream.h"
#include "vision/network_inputs.h"
#include "vision/network_sums.h"

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
        net_(make_network(weights, network_options())),
        batch_parts_(options.accumulate, options.cluster) {
    if (options.cluster != nullptr) sums_.emplace(*options.cluster, *net_, !options.freeze_bn);
  }

  View<const float> forward(std::span<const int32_t> rows) override;
  void set_progress(double progress) override { rate_factor_ = options_.schedule.factor(progress); }
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
  std::span<const float> images(RowRange part) const;
  bool in_one_pass() const { return options_.accumulate == 1; }
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
  BatchParts batch_parts_;
  std::optional<NetworkSums> sums_;  // over the processes, where there are several
  std::vector<RowRange> parts_;      // of the batch, those of this process
  std::vector<float> images_;        // of parts_, or what layers below made of them
  std::vector<float> logits_;        // of the batch
  double rate_factor_ = 1;           // of the learning rate, by the schedule
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

void FinetuneModel::prefetch(std::span<const int32_t> rows) {
  const RowRange here = batch_parts_.rows_here(rows.size());
  inputs_->prefetch(rows.subspan(here.begin, here.size()));
}

// Each image is mirrored with probability 1/2: a function of the seed, the step and the place in
// the batch.
void FinetuneModel::load_batch(std::span<const int32_t> rows) {
  parts_ = batch_parts_.here(rows.size());
  const RowRange here = batch_parts_.rows_here(rows.size());
  std::vector<bool> mirrored;
  for (size_t b = here.begin; b < here.end; ++b) {
    const uint64_t counter = step_ * rows.size() + b;
    mirrored.push_back((random_u64(options_.seed, Stream::kAugmentation, counter) >> 63) != 0);
  }
  images_.resize(here.size() * inputs_->numbers());
  if (!parts_.empty()) inputs_->load(rows.subspan(here.begin, here.size()), mirrored, images_);
}

std::span<const float> FinetuneModel::images(RowRange part) const {
  const size_t image = inputs_->numbers(), first = parts_.front().begin;
  return std::span(images_).subspan((part.begin - first) * image, part.size() * image);
}

View<const float> FinetuneModel::forward(std::span<const int32_t> rows) {
  load_batch(rows);
  if (sums_) sums_->begin_step();
  logits_.clear();
  for (const RowRange part : parts_) {
    const auto logits = net_->forward(images(part), part.size(), in_one_pass()).flat();
    logits_.insert(logits_.end(), logits.begin(), logits.end());
  }
  if (sums_) {
    logits_ = all_gather<float>(*options_.cluster, logits_, rows.size() * options_.labels);
  }
  return {logits_.data(), rows.size(), options_.labels};
}

void FinetuneModel::backward(View<const float> dlogits) {
  for (const RowRange part : parts_) {
    if (!in_one_pass()) net_->forward(images(part), part.size(), true);
    net_->backward({dlogits.row(part.begin), part.size(), dlogits.cols});
  }
  if (sums_) sums_->end_step(batch_parts_.behind(dlogits.rows));
  AdamConfig adam = options_.adam;
  adam.lr *= rate_factor_;
  net_->step(adam, ++step_);
  frozen_ = nullptr;
  frozen_maps_ = nullptr;
}

// Training images of a network that is trained from a layer on are there as that layer's input.
// Several processes are handed a few rows at a time; of the others' they have zeros, so that the
// sum is everybody's scores.
void FinetuneModel::predict(Part part, std::span<const int32_t> rows, size_t first_label,
                            View<float> out) {
  const size_t tensors = net_->tensors().size();  // the linear layer's are the last
  head_on_features_.set_weights(net_->get(tensors - 2, State::kValue),
                                net_->get(tensors - 1, State::kValue));
  std::ranges::fill(out.flat(), 0.0f);
  const size_t at_once = options_.cluster != nullptr ? kPredictBatch : rows.size();
  if (rows.empty()) return;
  deal_out(options_.cluster, (rows.size() + at_once - 1) / at_once, 1, [&](size_t i) {
    const size_t begin = i * at_once, count = std::min(at_once, rows.size() - begin);
    const View<float> scores{out.row(begin), count, out.cols};
    if (options_.first_layer > 0 && part == Part::kTrainFile) {
      predict_maps(rows.subspan(begin, count), first_label, scores);
    } else {
      predict_images(part, rows.subspan(begin, count), first_label, scores);
    }
  });
  if (options_.cluster != nullptr) options_.cluster->sum(out.flat());
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
                       {.sizes = {options_.size},
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
