#include "imaging/image_model.h"

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "imaging/load_torch.h"
#include "imaging/network.h"
#include "vision/activation_cache.h"
#include "vision/device.h"
#include "vision/finetune_model.h"

namespace spml {
namespace {

NetworkMaker network_maker(const std::string& device) {
  const auto torch_can = [] { return has_torch_module() && torch_module().has_cuda(); };
  if (means_processor(device, has_card, torch_can)) return make_cpu_network;
  const TorchModule& torch = torch_module();
  const std::string card = device == "auto" ? "cuda" : device;
  return [card, &torch](const ResNetWeights& weights, const NetworkOptions& options) {
    if (options.first_layer > 0) {
      fail_usage("--train-from: expected --device cpu, found {}; a card trains whole networks",
                 card);
    }
    return torch.network(weights, options, card);
  };
}

using Notice = std::function<void(const std::string&)>;

// Says how much a run with --train-from may write, and refuses what does not fit.
void announce(const ActivationFolder& activations, const ResNetLayout& net,
              const FinetuneOptions& options, size_t images, const Notice& notice) {
  const size_t numbers = input_of_layer(net, options.first_layer, options.size).numbers();
  const uint64_t bytes = ActivationCache::bytes(images, numbers);
  const uint64_t room = free_disk_space(activations.folder);
  if (bytes > room) {
    fail(
        "{}: expected room for up to {} of activations below layer{}, found {}; give --cache DIR "
        "on "
        "another disk, a smaller --size or a later --train-from",
        activations.folder.string(), size_text(bytes), options.first_layer, size_text(room));
  }
  if (notice) {
    notice(fmt::format("what the layers below layer{} compute is kept in {}: up to {}{}",
                       options.first_layer, activations.folder.string(), size_text(bytes),
                       activations.keep ? "" : ", removed at the end"));
  }
}

std::unique_ptr<Model> make_model(const NetworkMaker& make_network, const Dataset& data,
                                  const TrainConfig& config, const LinearStart* start, int threads,
                                  Cluster* cluster, const ActivationFolder& activations,
                                  const Notice& notice) {
  if (data.train_file.images.empty()) {
    fail("{}: --mode {} needs images, and there is no formatted_train_images.npy",
         data.folder.string(), to_string(config.mode));
  }
  FinetuneOptions options;
  options.labels = data.labels();
  options.size = config.image.size;
  options.accumulate = config.image.accumulate;
  options.cluster = cluster;
  options.adam = config.adam();
  options.schedule = {config.image.schedule == "cosine", config.image.warmup};
  options.head_lr_factor = config.head_learning_rate() / config.learning_rate();
  options.freeze_bn = config.image.freeze_bn;
  options.first_layer = layer_number(config.image.train_from);
  options.threads = threads;
  options.seed = config.seed;
  if (start != nullptr) {
    options.head_weight = start->weight;
    options.head_bias = start->bias;
  }
  const ResNetWeights weights = load_resnet(config.image.weights);
  if (options.first_layer > 0) {
    options.cache = activations.folder;
    options.weights_sha256 = config.image.weights_sha256;
    announce(activations, weights.layout, options, data.train_file.images.rows(), notice);
  }
  return make_finetune_model(weights, image_files(data, data.train_file),
                             image_files(data, data.test), options, make_network);
}

}  // namespace

void complete_weights(ImageConfig& image) {
  if (image.weights.empty()) image.weights = default_weights().string();
  image.weights_sha256 = sha256_of_file(image.weights);
}

ImageModelMaker image_model_maker(const std::string& device, const ActivationFolder& activations,
                                  const Notice& notice) {
  return [make_network = network_maker(device), activations, notice](
             const Dataset& data, const TrainConfig& config, const LinearStart* start, int threads,
             Cluster* cluster) {
    return make_model(make_network, data, config, start, threads, cluster, activations, notice);
  };
}

void clear_activations(const ActivationFolder& activations) {
  if (!activations.keep) remove_activations(activations.folder);
}

}  // namespace spml
