#include "cli/images.h"

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "cli/load_torch.h"
#include "cli/network.h"
#include "cli/progress.h"
#include "vision/activation_cache.h"
#include "vision/device.h"
#include "vision/feature_stream.h"
#include "vision/finetune_model.h"
#include "vision/image/scene.h"

namespace spml::cli {
namespace {

constexpr size_t kBatch = 16;
constexpr int kJpegQuality = 90;

// The network that made the features of a linear run.
std::unique_ptr<Backbone> network_of_features(const TrainedModel& run, const NetworkFlags& flags,
                                              int threads) {
  const int size = run.image_sizes().front();  // first: says so when the run does not know them
  Network network = open_network(flags, size, threads, run.extraction->pooling);
  const BackboneInfo& wanted = run.extraction->backbone;
  if (network.info.sha256 != wanted.sha256) {
    fail("{}: expected the network its features were made with, {} (sha256 {}), found {} ({})",
         run.folder.string(), wanted.file, wanted.sha256, network.info.file, network.info.sha256);
  }
  return std::move(network.backbone);
}

std::unique_ptr<Backbone> own_network(const TrainedModel& run, const NetworkFlags& flags,
                                      int threads) {
  if (!flags.weights.empty() || !flags.backbone.empty()) {
    fail_usage("{}: a fine-tuned run has its own network; leave out --weights and --backbone",
               run.folder.string());
  }
  return make_inference_resnet(load_resnet(RunFolder{run.folder}.model(), "backbone."), threads);
}

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

using Tell = std::function<void(const std::string&)>;

// Says how much a run with --train-from may write, and refuses what does not fit.
void announce(const CacheFlags& cache, const ResNetLayout& net, const FinetuneOptions& options,
              size_t images, const Tell& tell) {
  const size_t numbers = input_of_layer(net, options.first_layer, options.size).numbers();
  const uint64_t bytes = ActivationCache::bytes(images, numbers);
  const uint64_t room = free_disk_space(cache.folder);
  if (bytes > room) {
    fail(
        "{}: expected room for up to {} of activations below layer{}, found {}; give --cache DIR "
        "on "
        "another disk, a smaller --size or a later --train-from",
        cache.folder.string(), size_text(bytes), options.first_layer, size_text(room));
  }
  if (tell) {
    tell(fmt::format("what the layers below layer{} compute is kept in {}: up to {}{}",
                     options.first_layer, cache.folder.string(), size_text(bytes),
                     cache.keep ? "" : ", removed at the end"));
  }
}

std::unique_ptr<Model> make_model(const NetworkMaker& make_network, const Dataset& data,
                                  const TrainConfig& config, const LinearStart* start, int threads,
                                  Cluster* cluster, const CacheFlags& cache, const Tell& tell) {
  if (data.train_file.images.empty()) {
    fail("{}: --mode {} needs images, and there is no formatted_train_images.npy",
         data.folder.string(), to_string(config.mode));
  }
  FinetuneOptions options;
  options.labels = data.labels();
  options.size = config.image.size;
  options.accumulate = config.image.accumulate;
  options.cluster = cluster;
  options.adam.lr = config.learning_rate();
  options.adam.weight_decay = config.weight_decay;
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
    options.cache = cache.folder;
    options.weights_sha256 = config.image.weights_sha256;
    announce(cache, weights.layout, options, data.train_file.images.rows(), tell);
  }
  return make_finetune_model(weights, image_files(data, data.train_file),
                             image_files(data, data.test), options, make_network);
}

}  // namespace

void complete(ImageConfig& image) {
  if (image.weights.empty()) image.weights = default_weights().string();
  image.weights_sha256 = sha256_of_file(image.weights);
}

ImageModelMaker image_model_maker(const std::string& device, const CacheFlags& cache,
                                  const Tell& tell) {
  return [make_network = network_maker(device), cache, tell](
             const Dataset& data, const TrainConfig& config, const LinearStart* start, int threads,
             Cluster* cluster) {
    return make_model(make_network, data, config, start, threads, cluster, cache, tell);
  };
}

void clear_cache(const CacheFlags& cache) {
  if (!cache.keep) remove_activations(cache.folder);
}

DrawImage scene_painter(int size, uint64_t seed) {
  return [=](std::span<const int8_t> labels, uint64_t key) {
    return encode_jpeg(draw_scene(labels, size, seed, key), kJpegQuality);
  };
}

FeatureMatrix features_of_images(const TrainedModel& run, const std::vector<Path>& images,
                                 const NetworkFlags& flags, const Common& common) {
  const auto network = run.is_fine_tuned() ? own_network(run, flags, common.threads)
                                           : network_of_features(run, flags, common.threads);
  FeatureStream stream(
      images, *network, kBatch,
      {.sizes = run.image_sizes(), .threads = common.threads, .ahead = 2 * kBatch, .decode = {}});
  if (stream.features() != run.features) {
    fail("{}: expected a network of {} features, found {}", run.folder.string(), run.features,
         stream.features());
  }
  Progress progress("images", "images", common.quiet);
  std::vector<float> features;
  for (size_t done = 0; !stream.done();) {
    const FeatureBatch batch = stream.next();
    for (const std::string& error : batch.errors) {
      if (!error.empty()) fail("{}", error);
    }
    const auto values = batch.features.flat();
    features.insert(features.end(), values.begin(), values.end());
    progress.update(done += batch.features.rows, images.size());
  }
  return FeatureMatrix(std::move(features), images.size(), run.features);
}

}  // namespace spml::cli
