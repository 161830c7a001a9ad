#include "linear/linear_model.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

// Multiply-adds of a step that are worth another thread.
constexpr size_t kWorkPerThread = 300'000;

int useful_threads(const LinearConfig& config) {
  const size_t work = config.features * config.labels * config.batch;
  const size_t most = std::min(work / kWorkPerThread, config.labels / 4);
  return std::clamp(static_cast<int>(std::min<size_t>(most, 1024)), 1, config.threads);
}

// Weights and two moments of each, padded; the packed rows of two batches.
const LinearConfig& checked(const LinearConfig& config) {
  const bool has_labels = config.labels > 0 || config.part;  // more processes than labels
  if (config.features == 0 || !has_labels || config.batch == 0) {
    fail("expected a linear model of at least one feature, label and row a batch, found {}, {}, {}",
         config.features, config.labels, config.batch);
  }
  constexpr uint64_t kLanes = 64;  // what features are padded to, at most
  const uint64_t features = saturating_sum(config.features, kLanes);
  const uint64_t weights = saturating_product(features, config.labels, 3);
  const uint64_t batches =
      saturating_product(saturating_sum(features, config.labels), config.batch, 2);
  config.memory.require(
      saturating_product(saturating_sum(weights, batches), sizeof(float)),
      fmt::format("a linear model of {} labels x {} features", config.labels, config.features));
  return config;
}

// Rows of a prediction batch: enough to keep the weights busy, few enough for the caches.
constexpr size_t kPredictBatch = 32;

}  // namespace

LinearModel::LinearModel(const LinearConfig& config, const FeatureTransform& transform,
                         const FeatureMatrix* train_file, const FeatureMatrix* test)
    : config_(checked(config)),
      part_(config.part ? *config.part : all_labels(config.labels)),
      transform_(transform),
      train_file_(train_file),
      test_(test),
      team_(useful_threads(config)),
      packed_(padded_features(config.features) * config.labels * 3),
      bias_(config.labels),
      bias_m_(config.labels),
      bias_v_(config.labels),
      rows_(padded_features(config.features) * config.batch),
      previous_rows_(rows_.size()),
      dlogits_(config.labels * config.batch),
      logits_(config.labels * config.batch),
      sums_(accumulators_size(config.labels, config.batch)) {
  const double bound = 1 / std::sqrt(static_cast<double>(config.features));
  const auto draw = [&](uint64_t counter) {
    const double unit = to_unit(random_u64(config.seed, Stream::kInitialWeights, counter));
    return static_cast<float>((2 * unit - 1) * bound);
  };
  for (size_t l = 0; l < config.labels; ++l) {
    const size_t label = part_.first + l;
    for (size_t d = 0; d < config.features; ++d) {
      *packed_weight(l, d, 0) = draw(label * config.features + d);
    }
    bias_[l] = draw(part_.all * config.features + label);
  }
}

// Element of W (0), m (1) or v (2).
float* LinearModel::packed_weight(size_t label, size_t feature, size_t which) {
  const size_t begin = feature / kChunk * kChunk;
  const size_t width = std::min(kChunk, padded_features(config_.features) - begin);
  return &packed_[begin * 3 * config_.labels + (label * 3 + which) * width + (feature - begin)];
}

void LinearModel::update_bias(const AdamStep& k) {
  for (size_t l = 0; l < config_.labels; ++l) {
    float g = k.decay * bias_[l];
    for (size_t b = 0; b < pending_rows_; ++b) g += dlogits_[l * pending_rows_ + b];
    adam_update(k, g, bias_[l], bias_m_[l], bias_v_[l]);
  }
}

void LinearModel::pass(size_t update_batch, size_t forward_batch) {
  const AdamStep adam(config_.adam, update_batch > 0 ? ++step_ : 1);
  if (update_batch > 0) update_bias(adam);
  const size_t labels = config_.labels;
  const auto team = static_cast<size_t>(team_.size());
  team_.run([&](int index) {
    const auto t = static_cast<size_t>(index);
    LinearPass p;
    p.features = config_.features;
    p.labels = labels;
    p.first_label = labels * t / team;
    p.last_label = labels * (t + 1) / team;
    p.weights = packed_.data();
    p.update_batch = update_batch;
    p.update_rows = previous_rows_.data();
    p.dlogits = dlogits_.data();
    p.adam = &adam;
    p.forward_batch = forward_batch;
    p.forward_rows = rows_.data();
    p.bias = bias_.data();
    p.logits = logits_.data();
    p.sums = sums_.data();
    linear_pass(p);
  });
  pending_ = false;
}

View<const float> LinearModel::forward(std::span<const int32_t> rows) {
  if (sums_gradients()) finish_step();
  std::swap(rows_, previous_rows_);
  const auto team = static_cast<size_t>(team_.size());
  team_.run([&](int index) {
    const auto t = static_cast<size_t>(index);
    pack_rows(*train_file_, rows, transform_, rows.size() * t / team, rows.size() * (t + 1) / team,
              rows_.data());
  });
  pass(pending_ ? pending_rows_ : 0, rows.size());
  return {logits_.data(), rows.size(), config_.labels};
}

void LinearModel::prefetch(std::span<const int32_t> rows) {
  for (const int32_t row : rows) prefetch_row(*train_file_, static_cast<size_t>(row));
}

void LinearModel::backward(View<const float> dlogits) {
  for (size_t l = 0; l < config_.labels; ++l) {
    for (size_t b = 0; b < dlogits.rows; ++b) dlogits_[l * dlogits.rows + b] = dlogits(b, l);
  }
  pending_ = true;
  pending_rows_ = dlogits.rows;
}

void LinearModel::input_gradient(View<float> dinputs) {
  const auto team = static_cast<size_t>(team_.size());
  team_.run([&](int index) {
    const auto t = static_cast<size_t>(index);
    InputGradient job;
    job.features = config_.features;
    job.labels = config_.labels;
    job.batch = config_.batch;
    job.weights = packed_.data();
    job.dlogits = dlogits_.data();
    job.dinputs = dinputs.data;
    job.first_row = config_.batch * t / team;
    job.last_row = config_.batch * (t + 1) / team;
    spml::input_gradient(job);
  });
}

void LinearModel::finish_step() {
  if (!pending_) return;
  if (sums_gradients()) return update_with_others();
  std::swap(rows_, previous_rows_);
  pass(pending_rows_, 0);
  std::swap(rows_, previous_rows_);
}

void LinearModel::predict(Part part, std::span<const int32_t> rows, size_t first_label,
                          View<float> out) {
  predict(part == Part::kTrainFile ? *train_file_ : *test_, rows, first_label, out);
}

// The kernels trust what they are given: a matrix of another width would be packed past the end of
// their buffers.
void LinearModel::check_prediction(const FeatureMatrix& source, std::span<const int32_t> rows,
                                   size_t first_label, View<float> out) const {
  if (source.cols() != config_.features) {
    fail("{}: expected {} features, as the model has, found {}", source.source(), config_.features,
         source.cols());
  }
  const auto is_row = [&](int32_t row) {
    return row >= 0 && static_cast<size_t>(row) < source.rows();
  };
  if (!std::ranges::all_of(rows, is_row)) {
    fail("{}: expected rows from 0 to {}, asked for another", source.source(), source.rows());
  }
  if (out.rows < rows.size() || first_label > config_.labels ||
      out.cols > config_.labels - first_label) {
    fail("expected room for {} rows of at most {} labels, found {} x {} from label {}", rows.size(),
         config_.labels, out.rows, out.cols, first_label);
  }
}

void LinearModel::predict(const FeatureMatrix& source, std::span<const int32_t> rows,
                          size_t first_label, View<float> out) {
  finish_step();
  score(source, rows, first_label, out, config_.threads);
}

// Not by the team, which has one master: several threads may be here at once.
void LinearModel::score(const FeatureMatrix& source, std::span<const int32_t> rows,
                        size_t first_label, View<float> out, int threads) const {
  check_prediction(source, rows, first_label, out);
  const size_t batches = (rows.size() + kPredictBatch - 1) / kPredictBatch;
  const size_t labels = config_.labels, count = out.cols;
  const size_t parts = std::min(batches, static_cast<size_t>(std::max(threads, 1)));
  parallel_for(parts, threads, [&](size_t part) {
    AlignedVector<float> packed(padded_features(config_.features) * kPredictBatch);
    AlignedVector<float> logits(labels * kPredictBatch);
    AlignedVector<float> sums(accumulators_size(labels, kPredictBatch));
    for (size_t i = batches * part / parts; i < batches * (part + 1) / parts; ++i) {
      const size_t begin = i * kPredictBatch;
      const size_t n = std::min(kPredictBatch, rows.size() - begin);
      pack_rows(source, rows.subspan(begin, n), transform_, 0, n, packed.data());
      LinearPass p;
      p.features = config_.features;
      p.labels = labels;
      p.first_label = first_label;
      p.last_label = first_label + count;
      p.weights = const_cast<float*>(packed_.data());  // read only: there is no update
      p.forward_batch = n;
      p.forward_rows = packed.data();
      p.bias = bias_.data();
      p.logits = logits.data();
      p.sums = sums.data();
      linear_pass(p);
      for (size_t b = 0; b < n; ++b) {
        std::copy_n(&logits[b * labels + first_label], count, out.row(begin + b));
      }
    }
  });
}

std::vector<float> LinearModel::weight() const {
  auto& self = const_cast<LinearModel&>(*this);
  std::vector<float> plain(config_.labels * config_.features);
  for (size_t l = 0; l < config_.labels; ++l) {
    for (size_t d = 0; d < config_.features; ++d) {
      plain[l * config_.features + d] = *self.packed_weight(l, d, 0);
    }
  }
  return plain;
}

void LinearModel::set_weights(std::span<const float> weight, std::span<const float> bias) {
  if (weight.size() != config_.labels * config_.features || bias.size() != config_.labels) {
    fail("expected weights of {} labels x {} features and as many biases, found {} and {} numbers",
         config_.labels, config_.features, weight.size(), bias.size());
  }
  for (size_t l = 0; l < config_.labels; ++l) {
    for (size_t d = 0; d < config_.features; ++d) {
      *packed_weight(l, d, 0) = weight[l * config_.features + d];
    }
  }
  std::copy(bias.begin(), bias.end(), bias_.begin());
}

std::vector<float> LinearModel::current() const {
  std::vector<float> plain = weight();
  plain.insert(plain.end(), bias_.begin(), bias_.end());
  return plain;
}

void LinearModel::restore_best() {
  if (best_.empty()) return;
  const auto best = std::span<const float>(best_);
  const size_t weights = config_.labels * config_.features;
  set_weights(best.first(weights), best.subspan(weights));
}

void LinearModel::save_state(SafetensorsWriter& out) {
  finish_step();
  const std::string& name = config_.name;
  out.add(name + ".packed", {packed_.size()}, packed_);
  out.add(name + ".bias", {bias_.size()}, bias_);
  out.add(name + ".bias_m", {bias_.size()}, bias_m_);
  out.add(name + ".bias_v", {bias_.size()}, bias_v_);
  out.add(name + ".best", {best_.size()}, best_);
  out.add_metadata(name + ".step", std::to_string(step_));
}

void LinearModel::load_state(const SafetensorsFile& in) {
  best_.clear();
  load_labels(in, part_);
}

void LinearModel::load_labels(const SafetensorsFile& in, const LabelPart& from) {
  const std::string& name = config_.name;
  const size_t padded = padded_features(config_.features);
  const std::byte* packed =
      tensor_bytes(in, name + ".packed", saturating_product(padded, from.count, 3 * sizeof(float)))
          .data();
  for (size_t begin = 0; begin < padded; begin += kChunk) {
    const size_t width = std::min(kChunk, padded - begin);
    copy_labels(packed + begin * 3 * from.count * sizeof(float), from,
                packed_.data() + begin * 3 * config_.labels, part_, 1, 3 * width);
  }
  const auto load = [&](const char* what, AlignedVector<float>& values) {
    const auto bytes = tensor_bytes(in, name + what, from.count * sizeof(float));
    copy_labels(bytes.data(), from, values.data(), part_, 1, 1);
  };
  load(".bias", bias_);
  load(".bias_m", bias_m_);
  load(".bias_v", bias_v_);
  if (from.count > 0 && !in.tensor(name + ".best").bytes.empty()) {
    const size_t D = config_.features;
    best_.resize(config_.labels * (D + 1));
    const auto best =
        tensor_bytes(in, name + ".best", saturating_product(from.count, D + 1, sizeof(float)));
    copy_labels(best.data(), from, best_.data(), part_, 1, D);
    copy_labels(best.data() + from.count * D * sizeof(float), from,
                best_.data() + config_.labels * D, part_, 1, 1);
  }
  step_ = metadata_number(in, name + ".step");
  pending_ = false;
}

void LinearModel::save_model(SafetensorsWriter& out) {
  plain_ = current();
  const size_t labels = part_.all, weights = labels * config_.features;
  if (part_.is_split()) {
    const std::vector<float> mine = weight();
    plain_ = gather<float>(*part_.cluster, mine, weights);
    const std::vector<float> bias = gather<float>(*part_.cluster, bias_, labels);
    plain_.insert(plain_.end(), bias.begin(), bias.end());
    if (!part_.cluster->is_first()) return;
  }
  const auto plain = std::span<const float>(plain_);
  out.add("classifier.weight", {labels, config_.features}, plain.first(weights));
  out.add("classifier.bias", {labels}, plain.subspan(weights));
  save_transform(transform_, out);
}

}  // namespace spml
