// A linear model on rows of which each process has some: what crosses the network, and when.
#include "linear/gradient_kernels.h"
#include "linear/linear_model.h"

namespace spml {

// The gradient of the whole batch from those of all ranks' rows, then one step of Adam, the same
// everywhere: 4 L D bytes a step.
void LinearModel::update_with_others() {
  const size_t labels = config_.labels, weights = gradient_size(config_.features, labels);
  gradient_.resize(weights + labels);
  const auto team = static_cast<size_t>(team_.size());
  team_.run([&](int index) {
    const auto t = static_cast<size_t>(index);
    WeightGradient job;
    job.features = config_.features;
    job.labels = labels;
    job.first_label = labels * t / team;
    job.last_label = labels * (t + 1) / team;
    job.batch = pending_rows_;
    job.rows = rows_.data();
    job.dlogits = dlogits_.data();
    job.gradient = gradient_.data();
    weight_gradient(job);
  });
  float* const bias_gradient = gradient_.data() + weights;
  for (size_t l = 0; l < labels; ++l) {
    bias_gradient[l] = 0;
    for (size_t b = 0; b < pending_rows_; ++b) {
      bias_gradient[l] += dlogits_[l * pending_rows_ + b];
    }
  }
  config_.rows.cluster->sum(std::span<float>(gradient_));
  const AdamStep adam(config_.adam, ++step_);
  for (size_t l = 0; l < labels; ++l) {
    const float g = adam.decay * bias_[l] + bias_gradient[l];
    adam_update(adam, g, bias_[l], bias_m_[l], bias_v_[l]);
  }
  team_.run([&](int index) {
    const auto t = static_cast<size_t>(index);
    WeightUpdate job;
    job.features = config_.features;
    job.labels = labels;
    job.first_label = labels * t / team;
    job.last_label = labels * (t + 1) / team;
    job.gradient = gradient_.data();
    job.adam = &adam;
    job.weights = packed_.data();
    update_weights(job);
  });
  pending_ = false;
}

// 12 L D bytes.
void LinearModel::average_over_ranks() {
  if (!config_.rows.has_local_steps()) return;
  finish_step();
  const float share = 1 / static_cast<float>(config_.rows.cluster->size());
  for (AlignedVector<float>* values : {&packed_, &bias_, &bias_m_, &bias_v_}) {
    config_.rows.cluster->sum(std::span<float>(*values));
    for (float& value : *values) value *= share;
  }
}

}  // namespace spml
