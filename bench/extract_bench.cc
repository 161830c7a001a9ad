// Images per second of spml's inference network beside plain torchvision-style LibTorch inference
// (NCHW, batch normalisation apart, batch 16), alternating in one run, and their share of the
// machine's peak. Not a Google Benchmark: the two are compared with each other, so they take turns.
//   extract_bench [WEIGHTS.safetensors] [--size 448] [--batch 16] [--rounds 3] [--threads T]
#include <fmt/core.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/parallel.h"
#include "libtorch/resnet.h"
#include "network_cost.h"
#include "vision/backbone.h"
#include "vision/small_resnet.h"

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

  const spml::ResNetWeights weights =
      file.empty() ? spml::random_resnet(50, spml::ResNetVariant::kV1) : spml::load_resnet(file);
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
    plain_seconds = std::min(plain_seconds, spml::seconds_of(threads, run_plain));
    spml_seconds = std::min(spml_seconds, spml::seconds_of(threads, run_inference));
    peak = std::max(peak, spml::peak_flops(threads));
  }
  const double flops = spml::flops_per_image(weights.layout, size) * batch;
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
