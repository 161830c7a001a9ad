#include "torch_oracle.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
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
  Tensor soft, priors, shares;
  double B, L, k;
  double epoch, epochs;
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

Tensor simple_assume_negative(const Batch& b) {
  return (-b.positive * torch::log(b.f()) - (1 - b.positive) * torch::log(1 - b.f())).mean();
}

// eps_n is the smoothing of assumed negatives, known_eps_n that of the known ones.
Tensor smoothed(const Batch& b, double known_eps_n) {
  const Tensor others = 1 - b.positive;
  const double p = b["eps_p"] / 2;
  const Tensor n = (b.unknown * b["eps_n"] + b.negative * known_eps_n) / 2;
  const Tensor on_log_f = b.positive * (1 - p) + others * n;
  const Tensor on_log_1mf = b.positive * p + others * (1 - n);
  return -(on_log_f * b.log(b.f()) + on_log_1mf * b.log(1 - b.f())).mean();
}

Tensor ignore_unknown(const Batch& b) {
  return (-b.positive * b.log(b.f()) - b.negative * b.log(1 - b.f())).mean();
}

Tensor weak_negative(const Batch& b) {
  const Tensor weight = b["gamma"] * b.unknown + b.negative;
  return (-b.positive * b.log(b.f()) - weight * b.log(1 - b.f())).mean();
}

Tensor sampled_negative(const Batch& b) {
  return (-b.positive * b.log(b.f()) - (b.sampled + b.negative) * b.log(1 - b.f())).mean();
}

Tensor expected_positives(const Batch& b, const Tensor& a) {
  const Tensor labels = -b.positive * b.log(a) - b.negative * b.log(1 - a);
  const Tensor khat = a.sum() / b.B;
  return b["positive_scale"] * labels.mean() + b["lambda"] * torch::square((khat - b.k) / b.L);
}

Tensor towards(const Batch& b, const Tensor& a, const Tensor& target) {
  const Tensor t = target.detach();
  return (-t * b.log(a) - (1 - t) * b.log(1 - a)).mean();
}

Tensor side(const Batch& b, const Tensor& a, const Tensor& target) {
  return towards(b, a, target) + expected_positives(b, a);
}

Tensor role(const Batch& b) { return (side(b, b.f(), b.e()) + side(b, b.e(), b.f())) / 2; }

Tensor role_around(const Batch& b, const Tensor& base) {
  return (base + towards(b, b.f(), b.e()) + side(b, b.e(), b.f())) / 2;
}

Tensor pairwise_ranking(const Batch& b) {
  const Tensor f = b.f();
  // (B, L, L): positive i against label j.
  const Tensor hinge = torch::relu(1 - f.unsqueeze(2) + f.unsqueeze(1));
  const Tensor pairs = b.positive.unsqueeze(2) * (1 - b.positive).unsqueeze(1);
  return ((hinge * pairs).sum() + (b.negative * f).sum()) / (b.B * b.L);
}

Tensor focal_positive(const Tensor& p, double gamma) {
  return -torch::pow(1 - p, gamma) * torch::log(p);
}

Tensor focal_negative(const Tensor& p, double gamma) {
  return -torch::pow(p, gamma) * torch::log(1 - p);
}

Tensor focal(const Batch& b) {
  return (b.positive * focal_positive(b.f(), b["gamma"]) +
          b.unknown * focal_negative(b.f(), b["gamma"]) - b.negative * torch::log(1 - b.f()))
      .mean();
}

Tensor asymmetric(const Batch& b) {
  const Tensor c = torch::relu(b.f() - b["clip"]);
  Tensor positive = torch::pow(1 - b.f(), b["gamma_pos"]);
  Tensor negative = torch::pow(c, b["gamma_neg"]);
  if (b["detach"] != 0) {
    positive = positive.detach();
    negative = negative.detach();
  }
  return (-b.positive * positive * torch::log(b.f()) - b.unknown * negative * torch::log(1 - c) -
          b.negative * torch::log(1 - b.f()))
      .mean();
}

Tensor hill(const Batch& b) {
  const Tensor f = b.f();
  return (b.positive * focal_positive(torch::sigmoid(b.z - b["margin"]), b["gamma"]) +
          b.negative * focal_negative(f, b["gamma"]) + b.unknown * (b["lam"] - f) * f * f)
      .mean();
}

Tensor self_paced(const Batch& b) {
  const Tensor confident = (b.f() > b["tau"]).to(torch::kFloat64) * b.unknown;
  const Tensor flipped = b.epoch >= 2 ? confident : torch::zeros_like(confident);
  return (b.positive * focal_positive(torch::sigmoid(b.z - b["margin"]), b["gamma"]) +
          flipped * focal_positive(b.f(), b["gamma"]) +
          (1 - b.positive - flipped) * focal_negative(b.f(), b["gamma"]))
      .mean();
}

Tensor entropy(const Batch& b) {
  const Tensor log_f = torch::log(b.f()), log_1mf = torch::log(1 - b.f());
  return (-b.positive * log_f - b["negative_weight"] * b.negative * log_1mf +
          b["alpha"] * b.unknown * (b.f() * log_f + (1 - b.f()) * log_1mf))
      .mean();
}

Tensor entropy_with_pseudo_labels(const Batch& b) {
  const Tensor log_f = torch::log(b.f()), log_1mf = torch::log(1 - b.f());
  const Tensor has = (b.soft >= 0).to(torch::kFloat64) * b.unknown;
  const Tensor pseudo = -b.soft * log_f - (1 - b.soft) * log_1mf;
  return (-b.positive * log_f - b["negative_weight"] * b.negative * log_1mf +
          b["beta"] * has * pseudo +
          b["alpha"] * (b.unknown - has) * (b.f() * log_f + (1 - b.f()) * log_1mf))
      .mean();
}

// The mean over the observed positives of each label in the data set, estimated from the batch.
Tensor over_positives(const Batch& b, const Tensor& x) {
  return (b.positive * x).sum(0) / (b.B * b.shares);
}

Tensor class_prior(const Batch& b) {
  const Tensor f = b.f();
  return (2 * b.priors * over_positives(b, 1 - f) + torch::abs(f.mean(0) - b.priors) +
          (b.negative * f).mean(0))
      .mean();
}

Tensor non_negative(const Batch& b) {
  const Tensor minus = -torch::log(1 - b.f());
  const Tensor negatives = minus.mean(0) - b.priors * over_positives(b, minus);
  const Tensor positives = b.priors * over_positives(b, -torch::log(b.f()));
  const Tensor known = (b.negative * minus).mean(0);
  return (torch::where(negatives >= 0, positives + negatives, -negatives) + known).mean();
}

Tensor robust(const Batch& b) {
  const auto scheduled = [&](const char* first, const char* last, double t) {
    return b[first] + (b[last] - b[first]) * t / b.epochs;
  };
  const double w = scheduled("w0", "wT", b.epoch - 1), bias = scheduled("b0", "bT", b.epoch - 1);
  const double mu = scheduled("mu0", "muT", b.epoch), sig = scheduled("sig0", "sigT", b.epoch);
  const Tensor f = b.f(), sg = f.detach();
  const Tensor K = torch::sigmoid(w * sg + bias);
  const Tensor V = torch::exp(-torch::square(sg - mu) / (2 * sig * sig));
  const Tensor positive = (1 - torch::pow(f, b["q2"])) / b["q2"];
  const Tensor negative = (1 - torch::pow(1 - f, b["q3"])) / b["q3"];
  return (-b.positive * torch::log(f) - b.negative * torch::log(1 - f) +
          b.unknown * V * (K * positive + (1 - K) * negative))
      .mean();
}

// Ranks the losses themselves; the library ranks logits.
Tensor large_loss(const Batch& b, double positive_weight, bool permanent = false) {
  const Tensor f = b.f(), negative = -torch::log(1 - f);
  const Tensor unknown_losses = (negative * b.unknown).detach();
  const double times = permanent ? std::min(b.epoch - 1, 1.0) : b.epoch - 1;
  const auto k = static_cast<int64_t>(std::ceil(b.B * b.L * times * b["delta"] / 100));
  Tensor large = torch::zeros_like(f);
  if (k > 0) {
    const Tensor sorted = std::get<0>(torch::sort(unknown_losses.flatten(), 0, true));
    large = (unknown_losses >= sorted[k - 1]).to(torch::kFloat64) * b.unknown;
  }
  return (-(b.positive + positive_weight * large) * torch::log(f) +
          (1 - b.positive - large) * negative)
      .mean();
}

Tensor squared_error(const Batch& b) {
  const Tensor score = b.z / 10 + 0.5;
  const Tensor weight = b.positive + b.negative + b.unknown / 2;
  return (weight * torch::square(score - b.positive)).mean();
}

Tensor logistic(const Batch& b) {
  const Tensor weight = b["gamma"] * b.unknown + b.negative;
  return (-b.positive * torch::log(b.f()) - weight * torch::log(1 - b.f())).mean();
}

// Beyond 100 its tangent.
Tensor squared_hinge(const Batch& b) {
  const Tensor weight = b.positive + b.negative + b["gamma"] * b.unknown;
  const Tensor short_of = torch::relu(1 - (2 * b.positive - 1) * b.z);
  const Tensor bent = torch::clamp_max(short_of, 100);
  return (weight * bent * (2 * short_of - bent)).mean();
}

const std::map<std::string_view, std::function<Tensor(const Batch&)>> kOracles = {
    {"bce", assume_negative},
    {"bce-ls", [](const Batch& b) { return smoothed(b, b["eps_n"]); }},
    {"iu", ignore_unknown},
    {"iun", ignore_unknown},
    {"an", assume_negative},
    {"an-ls", [](const Batch& b) { return smoothed(b, 0); }},
    {"wan", weak_negative},
    {"wan-sampled", sampled_negative},
    {"epr", [](const Batch& b) { return expected_positives(b, b.f()); }},
    {"role", role},
    {"pr", pairwise_ranking},
    {"focal", focal},
    {"asl", asymmetric},
    {"hill", hill},
    {"splc", self_paced},
    {"em", entropy},
    {"gr", robust},
    {"ll-r", [](const Batch& b) { return large_loss(b, 0); }},
    {"ll-ct", [](const Batch& b) { return large_loss(b, 1); }},
    {"ll-cp", [](const Batch& b) { return large_loss(b, 1, true); }},
    {"em-apl", entropy_with_pseudo_labels},
    {"self-training", simple_assume_negative},
    {"crisp", class_prior},
    {"nnpu", non_negative},
    {"ridge", squared_error},
    {"logistic", logistic},
    {"squared-hinge", squared_hinge},
};

std::vector<double> gradient_of(const Tensor& variable) {
  const Tensor gradient = variable.grad();
  if (!gradient.defined()) return std::vector<double>(static_cast<size_t>(variable.numel()), 0.0);
  const double* const data = gradient.contiguous().data_ptr<double>();
  return {data, data + gradient.numel()};
}

}  // namespace

std::optional<OracleResult> torch_oracle(std::string_view loss, OracleInput input) {
  constexpr std::string_view kAround = "role+";
  const bool around = loss.starts_with(kAround);
  const auto oracle = kOracles.find(around ? loss.substr(kAround.size()) : loss);
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
                       tensor(input.soft),
                       torch::tensor(input.priors, torch::kFloat64),
                       torch::tensor(input.shares, torch::kFloat64),
                       static_cast<double>(input.B),
                       static_cast<double>(input.L),
                       input.k,
                       input.epoch,
                       input.epochs,
                       std::move(input.params)};
  const Tensor base = oracle->second(batch);
  const Tensor value = around ? role_around(batch, base) : base;
  value.backward();
  return OracleResult{value.item<double>(), gradient_of(batch.z), gradient_of(batch.u)};
}

}  // namespace spml
