// Seconds per training step of spml's fine-tuning beside a plain LibTorch loop (NCHW, torch's own
// Adam), alternating in one run, and the memory each takes by batch size. spml's steps include
// reading and decoding JPEG files; the plain loop has its images in memory.
//   finetune_bench [--size 448,224] [--batch 8] [--rounds 3] [--threads T] [--memory 1,2,4,8,16]
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/files.h"
#include "base/folders.h"
#include "base/parallel.h"
#include "libtorch/resnet.h"
#include "network_cost.h"
#include "vision/finetune_model.h"
#include "vision/image/scene.h"
#include "vision/small_resnet.h"

namespace {

constexpr size_t kLabels = 20;

struct Problem {
  int size = 448, threads = 1;
  size_t batch = 8;
  spml::ResNetWeights weights;
  std::vector<float> dlogits() const { return std::vector<float>(batch * kLabels, 1e-3f); }
};

class PlainLoop {
 public:
  explicit PlainLoop(const Problem& problem)
      : problem_(problem),
        net_(problem.weights),
        head_(static_cast<int64_t>(problem.weights.layout.features), int64_t{kLabels}),
        adam_(parameters(), torch::optim::AdamOptions(1e-5)),
        images_(
            torch::randn({static_cast<int64_t>(problem.batch), 3, problem.size, problem.size})) {
    net_->train();
  }

  void step() {
    at::set_num_threads(problem_.threads);
    adam_.zero_grad();
    const torch::Tensor logits = head_(net_(images_));
    auto gradient = problem_.dlogits();
    logits.backward(torch::from_blob(gradient.data(), logits.sizes()));
    adam_.step();
  }

 private:
  std::vector<torch::Tensor> parameters() {
    auto all = net_->parameters();
    for (const auto& p : head_->parameters()) all.push_back(p);
    return all;
  }

  const Problem& problem_;
  spml::ResNet net_;
  torch::nn::Linear head_;
  torch::optim::Adam adam_;
  torch::Tensor images_;
};

class SpmlLoop {
 public:
  SpmlLoop(const Problem& problem, const std::vector<spml::Path>& images) : problem_(problem) {
    spml::FinetuneOptions options;
    options.labels = kLabels;
    options.size = problem.size;
    options.adam.lr = 1e-5;
    options.threads = problem.threads;
    model_ = spml::make_finetune_model(problem.weights, images, {}, options);
    rows_.resize(problem.batch);
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  void step() {
    model_->forward(rows_);
    model_->prefetch(rows_);
    const auto gradient = problem_.dlogits();
    model_->backward({gradient.data(), problem_.batch, kLabels});
  }

 private:
  const Problem& problem_;
  std::unique_ptr<spml::Model> model_;
  std::vector<int32_t> rows_;
};

// Scenes of a photograph's size, as files.
class Pictures {
 public:
  explicit Pictures(size_t count) : folder_(std::filesystem::temp_directory_path() / name()) {
    spml::make_folder(folder_);
    std::vector<int8_t> labels(kLabels, 0);
    for (size_t i = 0; i < count; ++i) {
      labels[i % kLabels] = 1;
      files_.push_back(folder_ / fmt::format("{}.jpg", i));
      spml::write_file(files_.back(), spml::encode_jpeg(spml::draw_scene(labels, 448, 1, i), 90));
    }
  }
  ~Pictures() { std::filesystem::remove_all(folder_); }
  const std::vector<spml::Path>& files() const { return files_; }

 private:
  static std::string name() { return fmt::format("spml-finetune-bench-{}", ::getpid()); }
  spml::Path folder_;
  std::vector<spml::Path> files_;
};

// Peak resident memory of a process that takes two steps, in GiB; 0 when it was killed for it.
double peak_memory(const std::function<void()>& two_steps) {
  const pid_t child = ::fork();
  if (child == 0) {
    two_steps();
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return status == 0 ? static_cast<double>(usage.ru_maxrss) / (1 << 20) : 0;
}

void measure_memory(Problem problem, const std::vector<spml::Path>& images) {
  fmt::print("peak memory at {} px, GiB: batch {}: ", problem.size, problem.batch);
  const double plain = peak_memory([&] {
    PlainLoop loop(problem);
    for (int i = 0; i < 2; ++i) loop.step();
  });
  const double ours = peak_memory([&] {
    SpmlLoop loop(problem, images);
    for (int i = 0; i < 2; ++i) loop.step();
  });
  fmt::print("LibTorch {:.2f}, spml {:.2f}\n", plain, ours);
}

void race(const Problem& problem, int rounds, const std::vector<spml::Path>& images) {
  PlainLoop plain(problem);
  SpmlLoop ours(problem, images);
  plain.step();
  ours.step();
  double plain_seconds = 1e30, spml_seconds = 1e30, peak = 0;
  for (int i = 0; i < rounds; ++i) {
    plain_seconds =
        std::min(plain_seconds, spml::seconds_of(problem.threads, [&] { plain.step(); }));
    spml_seconds = std::min(spml_seconds, spml::seconds_of(problem.threads, [&] { ours.step(); }));
    peak = std::max(peak, spml::peak_flops(problem.threads));
  }
  // The backward pass has two products for each of the forward pass's.
  const double flops = 3 * spml::flops_per_image(problem.weights.layout, problem.size) *
                       static_cast<double>(problem.batch);
  fmt::print(
      "{} px, batch {}, {} threads, best of {}: LibTorch NCHW {:.3f} s ({:.0f} % of sgemm), "
      "spml {:.3f} s ({:.0f} %), ratio {:.2f}\n",
      problem.size, problem.batch, problem.threads, rounds, plain_seconds,
      100 * flops / plain_seconds / peak, spml_seconds, 100 * flops / spml_seconds / peak,
      plain_seconds / spml_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A fine-tuning step of spml beside plain LibTorch");
  std::vector<int> sizes{448, 224};
  std::vector<size_t> memory;
  Problem problem;
  problem.threads = spml::hardware_threads();
  int rounds = 3;
  app.add_option("--size", sizes)->delimiter(',');
  app.add_option("--batch", problem.batch);
  app.add_option("--rounds", rounds);
  app.add_option("--threads", problem.threads);
  app.add_option("--memory", memory, "Batch sizes to measure memory for")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  problem.weights = spml::random_resnet(50, spml::ResNetVariant::kV1);
  size_t most = problem.batch;
  for (const size_t batch : memory) most = std::max(most, batch);
  const Pictures pictures(most);
  // First, while this process has no threads that a child would miss.
  for (const size_t batch : memory) {
    Problem one = problem;
    one.batch = batch;
    one.size = sizes.front();
    std::fflush(stdout);
    measure_memory(one, pictures.files());
  }
  for (const int size : sizes) {
    problem.size = size;
    race(problem, rounds, pictures.files());
  }
}
