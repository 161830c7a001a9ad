// Seconds per training step of a ResNet-50 as a whole and from each layer on, with what the layers
// below compute kept on disk. The best of the rounds, so that all of it is there.
//   train_from_bench [SIZE 224] [BATCH 8] [ROUNDS 8] [THREADS 1]
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "base/files.h"
#include "vision/finetune_model.h"
#include "vision/image/scene.h"
#include "vision/small_resnet.h"

namespace {

constexpr size_t kLabels = 20;

// On one thread, of processor time: what others do on the machine does not count.
double now(int threads) {
  timespec t{};
  ::clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<spml::Path> draw_images(const spml::Path& folder, size_t count, int size) {
  std::vector<spml::Path> files;
  const std::vector<int8_t> labels(kLabels, 0);
  for (size_t i = 0; i < count; ++i) {
    files.push_back(folder / fmt::format("{}.jpg", i));
    spml::write_file(files.back(), spml::encode_jpeg(spml::draw_scene(labels, size, 1, i), 90));
  }
  return files;
}

double seconds_per_step(spml::FinetuneOptions options, const spml::ResNetWeights& weights,
                        const std::vector<spml::Path>& files, int rounds) {
  const auto model = spml::make_finetune_model(weights, files, {}, options);
  std::vector<int32_t> rows(files.size());
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<float> gradient(rows.size() * kLabels, 1e-3f);
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const double start = now(options.threads);
    model->forward(rows);
    model->backward({gradient.data(), rows.size(), kLabels});
    best = std::min(best, now(options.threads) - start);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int size = argument(1, 224), batch = argument(2, 8), rounds = argument(3, 8);
  const spml::Path folder = std::filesystem::temp_directory_path() / "spml_train_from_bench";
  std::filesystem::create_directories(folder);
  const auto weights = spml::random_resnet(50, spml::ResNetVariant::kV1);
  const auto files = draw_images(folder, static_cast<size_t>(batch), size);
  spml::FinetuneOptions options;
  options.labels = kLabels;
  options.size = size;
  options.adam.lr = 1e-5;
  options.threads = argument(4, 1);
  options.cache = folder / "activations";
  options.weights_sha256 = "random";
  double whole = 0;
  for (const int layer : {0, 1, 2, 3, 4}) {
    options.first_layer = layer;
    const double seconds = seconds_per_step(options, weights, files, rounds);
    if (layer == 0) whole = seconds;
    fmt::print("{:<8} {:.3f} s a step of {}, {:.2f}x\n",
               layer == 0 ? "conv1" : fmt::format("layer{}", layer), seconds, batch,
               whole / seconds);
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
}
