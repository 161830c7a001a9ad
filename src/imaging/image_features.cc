#include "imaging/image_features.h"

#include "base/fail.h"
#include "imaging/network.h"
#include "vision/feature_stream.h"

namespace spml {
namespace {

constexpr size_t kBatch = 16;

// The network that made the features of a linear run.
std::unique_ptr<Backbone> network_of_features(const TrainedModel& run, const NetworkChoice& choice,
                                              int threads) {
  const int size = run.image_sizes().front();  // first: says so when the run does not know them
  Network network = open_network(choice, size, threads, run.extraction->pooling);
  const BackboneInfo& wanted = run.extraction->backbone;
  if (network.info.sha256 != wanted.sha256) {
    fail("{}: expected the network its features were made with, {} (sha256 {}), found {} ({})",
         run.folder.string(), wanted.file, wanted.sha256, network.info.file, network.info.sha256);
  }
  return std::move(network.backbone);
}

std::unique_ptr<Backbone> own_network(const TrainedModel& run, const NetworkChoice& choice,
                                      int threads) {
  if (!choice.weights.empty() || !choice.backbone.empty()) {
    fail_usage("{}: a fine-tuned run has its own network; leave out --weights and --backbone",
               run.folder.string());
  }
  return make_inference_resnet(load_resnet(RunFolder{run.folder}.model(), "backbone."), threads);
}

}  // namespace

FeatureMatrix features_of_images(const TrainedModel& run, const std::vector<Path>& images,
                                 const NetworkChoice& choice, const ImageWork& work) {
  const auto network = run.is_fine_tuned() ? own_network(run, choice, work.threads)
                                           : network_of_features(run, choice, work.threads);
  FeatureStream stream(
      images, *network, kBatch,
      {.sizes = run.image_sizes(), .threads = work.threads, .ahead = 2 * kBatch, .decode = {}});
  if (stream.features() != run.features) {
    fail("{}: expected a network of {} features, found {}", run.folder.string(), run.features,
         stream.features());
  }
  std::vector<float> features;
  for (size_t done = 0; !stream.done();) {
    const FeatureBatch batch = stream.next();
    for (const std::string& error : batch.errors) {
      if (!error.empty()) fail("{}", error);
    }
    const auto values = batch.features.flat();
    features.insert(features.end(), values.begin(), values.end());
    done += batch.features.rows;
    if (work.progress) work.progress(done, images.size());
  }
  return FeatureMatrix(std::move(features), images.size(), run.features);
}

}  // namespace spml
