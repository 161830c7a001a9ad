#include "torch_loop.h"

#include <torch/torch.h>

#include "base/fail.h"

namespace spml {
namespace {

using torch::Tensor;

template <class T>
Tensor borrow(View<T> view, torch::Dtype type) {
  return torch::from_blob(const_cast<std::remove_const_t<T>*>(view.data),
                          {static_cast<int64_t>(view.rows), static_cast<int64_t>(view.cols)}, type);
}

std::vector<float> values(const Tensor& tensor) {
  const Tensor flat = tensor.detach().contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

}  // namespace

struct TorchLoop::State {
  std::string loss;
  LossParameters params;
  double k;
  Tensor features, observed;  // (N, D), (N, L)
  torch::nn::Linear linear{nullptr};
  Tensor estimates;  // (N, L), undefined unless the loss uses them
  std::unique_ptr<torch::optim::Adam> optimizer;

  // mean(-[o=+1] log a - [o=-1] log(1-a)) + lambda ((sum a / B - k) / L)^2 with a = sigmoid(z)
  Tensor expected_positives(const Tensor& z, const Tensor& o) const {
    const Tensor labels = (o == 1) * torch::log_sigmoid(z) + (o == -1) * torch::log_sigmoid(-z);
    const Tensor khat = torch::sigmoid(z).sum() / z.size(0);
    return -params.at("positive_scale") * labels.mean() +
           params.at("lambda") * torch::square((khat - k) / z.size(1));
  }

  Tensor side(const Tensor& z, const Tensor& other, const Tensor& o) const {
    const Tensor target = torch::sigmoid(other).detach();
    return torch::binary_cross_entropy_with_logits(z, target) + expected_positives(z, o);
  }

  Tensor value(const Tensor& z, const Tensor& o, const Tensor& index) const {
    const Tensor positive = (o == 1).to(torch::kFloat32);
    if (loss == "an") return torch::binary_cross_entropy_with_logits(z, positive);
    if (loss == "an-ls") {
      const double p = params.at("eps_p") / 2, n = params.at("eps_n") / 2;
      const Tensor unknown = (o == 0).to(torch::kFloat32);  // known negatives are not smoothed
      return torch::binary_cross_entropy_with_logits(z, positive * (1 - p) + unknown * n);
    }
    if (loss == "epr") return expected_positives(z, o);
    const Tensor u = estimates.index_select(0, index);
    return (side(z, u, o) + side(u, z, o)) / 2;
  }
};

TorchLoop::TorchLoop(std::string_view loss, const TorchLoopSetup& setup)
    : state_(std::make_unique<State>()) {
  if (loss != "an" && loss != "an-ls" && loss != "epr" && loss != "role") {
    fail("the LibTorch loop knows the losses an, an-ls, epr and role, not {}", loss);
  }
  torch::set_num_threads(setup.threads);
  State& s = *state_;
  s.loss = loss;
  s.params = setup.params;
  s.k = setup.k;
  s.features = borrow(setup.features, torch::kFloat32);
  s.observed = borrow(setup.observed, torch::kInt8).to(torch::kFloat32);

  const Tensor weight = borrow(setup.weight, torch::kFloat32);
  s.linear = torch::nn::Linear(weight.size(1), weight.size(0));
  {
    const torch::NoGradGuard guard;
    s.linear->weight.copy_(weight);
    s.linear->bias.copy_(
        borrow(View<const float>{setup.bias.data(), 1, setup.bias.size()}, torch::kFloat32)
            .squeeze(0));
  }
  using Options = torch::optim::AdamOptions;
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(s.linear->parameters(), std::make_unique<Options>(setup.lr));
  if (!setup.estimates.empty()) {
    s.estimates = borrow(setup.estimates, torch::kFloat32).clone().requires_grad_();
    const double lr = setup.lr * setup.params.at("estimate_lr_factor");
    groups.emplace_back(std::vector<Tensor>{s.estimates}, std::make_unique<Options>(lr));
  }
  s.optimizer = std::make_unique<torch::optim::Adam>(groups, Options(setup.lr));
}

TorchLoop::~TorchLoop() = default;

double TorchLoop::step(std::span<const int32_t> rows) {
  State& s = *state_;
  const Tensor index =
      borrow(View<const int32_t>{rows.data(), 1, rows.size()}, torch::kInt32).squeeze(0);
  const Tensor z = s.linear(s.features.index_select(0, index));
  const Tensor value = s.value(z, s.observed.index_select(0, index), index);
  s.optimizer->zero_grad();
  value.backward();
  s.optimizer->step();
  return value.item<double>();
}

std::vector<float> TorchLoop::weight() const { return values(state_->linear->weight); }
std::vector<float> TorchLoop::bias() const { return values(state_->linear->bias); }
std::vector<float> TorchLoop::estimates() const { return values(state_->estimates); }

}  // namespace spml
