// Images per second of spml's inference network beside plain torchvision-style LibTorch inference
// (NCHW, batch normalisation apart, batch 16), alternating in one run, and their share of the
// machine's peak. Not a Google Benchmark: the two are compared with each other, so they take turns.
//   extract_bench [WEIGHTS.safetensors] [--size 448] [--batch 16] [--rounds 3] [--threads T]
#include <fmt/core.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "base/parallel.h"
#include "vision/backbone.h"
#include "vision/resnet.h"

namespace {

using spml::ConvLayout;

double seconds_of(const std::function<void()>& job) {
  const auto start = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Multiplications and additions of the convolutions for one image.
double flops_per_image(const spml::ResNetLayout& net, int size) {
  const auto cost = [](const ConvLayout& c, double side) {
    return 2.0 * static_cast<double>(c.in * c.out * c.kernel * c.kernel) * side * side;
  };
  const auto halved = [](double side, size_t stride) {
    return stride == 1 ? side : std::ceil(side / 2);
  };
  double side = halved(size, 2);
  double total = cost(net.stem, side);
  side = halved(side, 2);  // the max pool
  for (const spml::BlockLayout& block : net.blocks) {
    double inner = side;
    for (const ConvLayout& c : block.path) total += cost(c, inner = halved(inner, c.stride));
    if (block.shortcut) total += cost(*block.shortcut, inner);
    side = inner;
  }
  return total;
}

// The best of a few large matrix products: what BLAS reaches is the practical peak.
double peak_flops(int threads) {
  at::set_num_threads(threads);
  constexpr int64_t kSide = 3072;
  const torch::Tensor a = torch::randn({kSide, kSide}), b = torch::randn({kSide, kSide});
  double best = 1e30;
  for (int i = 0; i < 5; ++i) best = std::min(best, seconds_of([&] { torch::mm(a, b); }));
  return 2.0 * kSide * kSide * kSide / best;
}

// Weights drawn at random cost as much as trained ones.
spml::ResNetWeights random_weights() {
  spml::NamedTensors tensors;
  for (const ConvLayout& c : spml::resnet_layout(50, spml::ResNetVariant::kV1).convolutions()) {
    const auto add = [&](const std::string& name, std::vector<size_t> shape, float scale,
                         float shift) {
      const torch::Tensor t =
          torch::randn(std::vector<int64_t>(shape.begin(), shape.end())) * scale + shift;
      const float* data = t.data_ptr<float>();
      tensors[name] = {std::move(shape), {data, data + t.numel()}};
    };
    const auto fan_in = static_cast<float>(c.in * c.kernel * c.kernel);
    add(c.conv + ".weight", {c.out, c.in, c.kernel, c.kernel}, std::sqrt(1 / fan_in), 0);
    add(c.bn + ".weight", {c.out}, 0, 1);
    add(c.bn + ".bias", {c.out}, 0, 0);
    add(c.bn + ".running_mean", {c.out}, 0, 0);
    add(c.bn + ".running_var", {c.out}, 0, 1);
  }
  return spml::check_resnet(std::move(tensors), spml::ResNetVariant::kV1, "random weights");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("spml's inference beside plain LibTorch");
  std::string file;
  int size = 448, batch = 16, rounds = 3, threads = spml::hardware_threads();
  app.add_option("WEIGHTS", file, "Without it, random ResNet-50 v1 weights");
  app.add_option("--size", size);
  app.add_option("--batch", batch);
  app.add_option("--rounds", rounds);
  app.add_option("--threads", threads);
  CLI11_PARSE(app, argc, argv);

  const spml::ResNetWeights weights = file.empty() ? random_weights() : spml::load_resnet(file);
  const auto inference = spml::make_inference_resnet(weights, threads);
  spml::ResNet plain(weights);
  plain->eval();
  const torch::NoGradGuard no_grad;
  const torch::Tensor images = torch::randn({batch, 3, size, size});
  torch::Tensor expected,
      found = torch::empty({batch, static_cast<int64_t>(weights.layout.features)});
  const auto run_plain = [&] {
    at::set_num_threads(threads);
    expected = plain(images);
  };
  const auto run_inference = [&] {
    inference->run({images.data_ptr<float>(), static_cast<size_t>(images.numel())}, size,
                   {found.data_ptr<float>(), static_cast<size_t>(batch), inference->features()});
  };
  run_plain();
  run_inference();
  const double difference = ((found - expected).abs().max() / expected.abs().max()).item<double>();
  if (!(difference < 1e-3)) {
    fmt::print(stderr, "the two networks differ by {:.1e}: nothing to time\n", difference);
    return 1;
  }
  double plain_seconds = 1e30, spml_seconds = 1e30, peak = 0;
  for (int i = 0; i < rounds; ++i) {
    plain_seconds = std::min(plain_seconds, seconds_of(run_plain));
    spml_seconds = std::min(spml_seconds, seconds_of(run_inference));
    peak = std::max(peak, peak_flops(threads));
  }
  const double flops = flops_per_image(weights.layout, size) * batch;
  fmt::print("{} {}, {} px, batch {}, {} threads, {:.2f} GFLOP per image, best of {} rounds\n",
             weights.layout.name(), to_string(weights.layout.variant), size, batch, threads,
             flops / batch / 1e9, rounds);
  fmt::print("{:<28} {:>10} {:>10} {:>14}\n", "", "images/s", "GFLOP/s", "share of sgemm");
  const auto line = [&](const char* name, double seconds) {
    fmt::print("{:<28} {:>10.2f} {:>10.1f} {:>13.0f}%\n", name, batch / seconds,
               flops / seconds / 1e9, 100 * flops / seconds / peak);
  };
  line("LibTorch, NCHW, unfused", plain_seconds);
  line("spml", spml_seconds);
  fmt::print("{:<28} {:>10} {:>10.1f}\nratio {:.2f}, largest relative difference {:.1e}\n",
             "sgemm 3072 (practical peak)", "", peak / 1e9, plain_seconds / spml_seconds,
             difference);
}
