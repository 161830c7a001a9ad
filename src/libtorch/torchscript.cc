#include "libtorch/torchscript.h"

#include <torch/script.h>
#include <torch/torch.h>

#include "base/fail.h"
#include "base/files.h"

namespace spml {
namespace {

// The first line of one of torch's long messages.
std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

class TorchScriptBackbone : public Backbone {
 public:
  TorchScriptBackbone(const Path& path, int size, int threads)
      : where_(path.string()), threads_(threads) {
    const MappedFile regular(path);  // LibTorch would wait for a pipe
    try {
      module_ = torch::jit::load(where_);
      module_.eval();
    } catch (const std::exception& error) {
      fail("{}: expected a TorchScript file made by torch.jit.save: {}", where_, first_line(error));
    }
    features_ = static_cast<size_t>(forward(torch::zeros({1, 3, size, size})).size(1));
  }

  size_t features() const override { return features_; }

  void run(std::span<const float> images, int size, View<float> out) override {
    const auto B = static_cast<int64_t>(out.rows);
    if (images.size() != out.rows * 3 * static_cast<size_t>(size) * static_cast<size_t>(size) ||
        out.cols != features_) {
      fail("expected {} images of 3 x {} x {} and room for {} features", B, size, size, features_);
    }
    const torch::Tensor batch =
        torch::from_blob(const_cast<float*>(images.data()), {B, 3, size, size}, torch::kFloat32);
    const torch::Tensor features = forward(batch).to(torch::kFloat32).contiguous();
    if (features.size(1) != static_cast<int64_t>(features_)) {
      fail("{}: expected {} features, found {}", where_, features_, features.size(1));
    }
    const float* data = features.data_ptr<float>();
    std::copy(data, data + out.size(), out.data);
  }

 private:
  torch::Tensor forward(const torch::Tensor& batch) {
    const torch::InferenceMode no_gradients;
    at::set_num_threads(threads_);
    torch::Tensor y;
    try {
      y = module_.forward({batch}).toTensor();
    } catch (const std::exception& error) {
      fail("{}: the program failed on {} x 3 x {} x {}: {}", where_, batch.size(0), batch.size(2),
           batch.size(3), first_line(error));
    }
    if (y.dim() == 4) y = y.mean({2, 3});
    if (y.dim() != 2 || y.size(0) != batch.size(0) || y.size(1) == 0) {
      fail("{}: expected a result of {} x D or {} x D x h x w, found {} dimensions", where_,
           batch.size(0), batch.size(0), y.dim());
    }
    return y;
  }

  std::string where_;
  int threads_;
  torch::jit::Module module_;
  size_t features_ = 0;
};

}  // namespace

std::unique_ptr<Backbone> load_torchscript(const Path& path, int size, int threads) {
  return std::make_unique<TorchScriptBackbone>(path, size, threads);
}

}  // namespace spml
