#include "torch_oracle.h"

#include <torch/torch.h>

#include <functional>
#include <map>

namespace spml {
namespace {

using torch::Tensor;

// The batch as tensors, and the parameters by name.
struct Batch {
  Tensor z, u;
  Tensor positive, unknown, negative;  // 1.0 where o is +1, 0, -1
  Tensor sampled;
  double B, L, k;
  LossParameters params;

  Tensor f() const { return torch::sigmoid(z); }
  Tensor e() const { return torch::sigmoid(u); }
  double operator[](const char* name) const { return params.at(name); }

  // log(p), or log(p + log_epsilon) when that is given.
  Tensor log(const Tensor& p) const { return torch::log(p + (*this)["log_epsilon"]); }
};

Tensor assume_negative(const Batch& b) {
  return (-b.positive * b.log(b.f()) - (1 - b.positive) * b.log(1 - b.f())).mean();
}

Tensor smoothed(const Batch& b) {
  const Tensor others = 1 - b.positive;
  const double p = b["eps_p"] / 2, n = b["eps_n"] / 2;
  const Tensor on_log_f = b.positive * (1 - p) + others * n;
  const Tensor on_log_1mf = b.positive * p + others * (1 - n);
  return -(on_log_f * b.log(b.f()) + on_log_1mf * b.log(1 - b.f())).mean();
}

Tensor ignore_unknown(const Batch& b) {
  return (-b.positive * b.log(b.f()) - b.negative * b.log(1 - b.f())).mean();
}

Tensor weak_negative(const Batch& b) {
  return (-b.positive * b.log(b.f()) - b["gamma"] * (1 - b.positive) * b.log(1 - b.f())).mean();
}

Tensor sampled_negative(const Batch& b) {
  return (-b.positive * b.log(b.f()) - b.sampled * b.log(1 - b.f())).mean();
}

Tensor expected_positives(const Batch& b, const Tensor& a) {
  const Tensor labels = -b.positive * b.log(a) - b.negative * b.log(1 - a);
  const Tensor khat = a.sum() / b.B;
  return b["positive_scale"] * labels.mean() + b["lambda"] * torch::square((khat - b.k) / b.L);
}

Tensor side(const Batch& b, const Tensor& a, const Tensor& target) {
  const Tensor t = target.detach();
  return (-t * b.log(a) - (1 - t) * b.log(1 - a)).mean() + expected_positives(b, a);
}

Tensor role(const Batch& b) { return (side(b, b.f(), b.e()) + side(b, b.e(), b.f())) / 2; }

Tensor pairwise_ranking(const Batch& b) {
  const Tensor f = b.f();
  // (B, L, L): positive i against label j.
  const Tensor hinge = torch::relu(1 - f.unsqueeze(2) + f.unsqueeze(1));
  const Tensor pairs = b.positive.unsqueeze(2) * (1 - b.positive).unsqueeze(1);
  return (hinge * pairs).sum() / (b.B * b.L);
}

const std::map<std::string_view, std::function<Tensor(const Batch&)>> kOracles = {
    {"bce", assume_negative},
    {"bce-ls", smoothed},
    {"iu", ignore_unknown},
    {"iun", ignore_unknown},
    {"an", assume_negative},
    {"an-ls", smoothed},
    {"wan", weak_negative},
    {"wan-sampled", sampled_negative},
    {"epr", [](const Batch& b) { return expected_positives(b, b.f()); }},
    {"role", role},
    {"pr", pairwise_ranking},
};

std::vector<double> gradient_of(const Tensor& variable) {
  const Tensor gradient = variable.grad();
  if (!gradient.defined()) return std::vector<double>(static_cast<size_t>(variable.numel()), 0.0);
  const double* const data = gradient.contiguous().data_ptr<double>();
  return {data, data + gradient.numel()};
}

}  // namespace

std::optional<OracleResult> torch_oracle(std::string_view loss, OracleInput input) {
  const auto oracle = kOracles.find(loss);
  if (oracle == kOracles.end()) return std::nullopt;

  const auto tensor = [&](const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64).reshape({input.B, input.L});
  };
  const Tensor observed = tensor(input.observed);
  const auto where = [&](double label) { return (observed == label).to(torch::kFloat64); };
  const Batch batch = {tensor(input.z).requires_grad_(),
                       tensor(input.u).requires_grad_(),
                       where(1),
                       where(0),
                       where(-1),
                       tensor(input.sampled),
                       static_cast<double>(input.B),
                       static_cast<double>(input.L),
                       input.k,
                       std::move(input.params)};
  const Tensor value = oracle->second(batch);
  value.backward();
  return OracleResult{value.item<double>(), gradient_of(batch.z), gradient_of(batch.u)};
}

}  // namespace spml
