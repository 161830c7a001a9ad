#include "imaging/network.h"

#include <cstdlib>

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "imaging/load_torch.h"
#include "vision/pooling.h"
#include "vision/weights/imagenet_package.h"

namespace spml {

Path default_weights() {
  Path file =
      imagenet_weights_file(cache_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME")));
  if (!path_exists(file)) {
    fail("{}: no weights there; run `spml weights fetch`, or give --weights FILE.safetensors",
         file.string());
  }
  return file;
}

Network open_network(const NetworkChoice& choice, int size, int threads,
                     const FeaturePooling& pooling) {
  if (!choice.backbone.empty()) {
    if (!choice.trust_code) {
      fail_usage("--backbone {}: a TorchScript file is a program; give --trust-code to run it",
                 choice.backbone);
    }
    if (pooling.pools != FeaturePooling{}.pools || pooling.layers != FeaturePooling{}.layers) {
      fail_usage(
          "--backbone {}: a TorchScript network pools by itself; expected no --pool and no "
          "--layers, found {}",
          choice.backbone, describe(pooling));
    }
    const Path file = choice.backbone;
    auto network = torch_module().torchscript(file, size, threads);
    if (pooling.mirror) network = make_mirrored(std::move(network));
    return {std::move(network),
            {file.filename().string(), sha256_of_file(file), "torchscript", ""}};
  }
  const Path file = choice.weights.empty() ? default_weights() : Path(choice.weights);
  const ResNetWeights weights = load_resnet(file);
  return {make_inference_resnet(weights, threads, pooling),
          {file.filename().string(), sha256_of_file(file), weights.layout.name(),
           std::string(to_string(weights.layout.variant))}};
}

}  // namespace spml
