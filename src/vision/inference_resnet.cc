#include <omp.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "base/fail.h"
#include "base/parallel.h"
#include "vision/backbone.h"
#include "vision/inference_plan.h"
#include "vision/pooling.h"

namespace spml {
namespace {

// One plan per thread, one image per plan: threads never wait for one another inside the network,
// and the activations of an image stay near the caches.
class PlanPerThread {
 public:
  PlanPerThread(const ResNetWeights& weights, int threads, const InferencePlan::Section& section)
      : layout_(weights.layout),
        section_(section),
        weights_(weights, dnnl::engine(dnnl::engine::kind::cpu, 0)),
        threads_(static_cast<size_t>(threads)) {}

  const ResNetLayout& layout() const { return layout_; }

  // compute(plan, input, i) for each of `count` inputs.
  template <class Compute>
  void run(std::span<const float> inputs, int size, size_t count, const Compute& compute) {
    const size_t numbers = size < 32 ? 0 : input_numbers(size);
    if (numbers == 0 || inputs.size() != count * numbers) {
      fail("expected {} images of {} x {} (at least 32)", count, size, size);
    }
    auto& plans = plans_[size];
    plans.resize(threads_);
    std::atomic<size_t> next{0};
    const size_t workers = std::min(threads_, count);
    parallel_for(workers, static_cast<int>(workers), [&](size_t worker) {
      omp_set_num_threads(1);
      try {
        auto& plan = plans[worker];
        if (!plan) plan = std::make_unique<InferencePlan>(layout_, weights_, size, section_);
        for (size_t i; (i = next++) < count;) compute(*plan, inputs.data() + i * numbers, i);
      } catch (const dnnl::error& error) {
        fail("the network could not be computed at {} x {}: {}", size, size, error.what());
      }
    });
  }

 private:
  size_t input_numbers(int size) const {
    const auto side = static_cast<size_t>(size);
    if (section_.first_layer == 0) return 3 * side * side;
    return input_of_layer(layout_, section_.first_layer, size).numbers();
  }

  ResNetLayout layout_;
  InferencePlan::Section section_;
  InferenceWeights weights_;
  size_t threads_;
  std::map<int, std::vector<std::unique_ptr<InferencePlan>>> plans_;  // by the images' size
};

class InferenceResNet : public Backbone {
 public:
  InferenceResNet(const ResNetWeights& weights, int first_layer, int threads,
                  FeaturePooling pooling)
      : pooling_(std::move(pooling)),
        plans_(weights, threads, section(weights.layout, first_layer, pooling_)) {}

  size_t features() const override {
    size_t channels = 0;
    for (const int layer : pooling_.layers) channels += channels_of_layer(plans_.layout(), layer);
    return channels * pooling_.pools.size();
  }

  void run(std::span<const float> images, int size, View<float> out) override {
    if (out.cols != features()) {
      fail("expected room for {} features, found {}", features(), out.cols);
    }
    plans_.run(images, size, out.rows, [&](InferencePlan& plan, const float* image, size_t i) {
      compute(plan, image, out.row(i));
    });
  }

 private:
  static InferencePlan::Section section(const ResNetLayout& layout, int first_layer,
                                        const FeaturePooling& pooling) {
    const auto averages = static_cast<size_t>(std::ranges::count(pooling.pools, Pool::kAvg));
    InferencePlan::Section section{.first_layer = first_layer, .outputs = {}};
    for (const int layer : pooling.layers) {
      section.outputs.push_back({.end_block = blocks_before(layout, layer + 1),
                                 .mean = averages > 0,
                                 .map = pooling.pools.size() > averages});
    }
    return section;
  }

  // The mean is always the network's own, so that it has the same bits alone and beside others.
  void compute(InferencePlan& plan, const float* image, float* out) const {
    plan.run(image);
    for (size_t i = 0; i < pooling_.layers.size(); ++i) {
      for (const Pool pool : pooling_.pools) {
        if (pool == Pool::kAvg) std::ranges::copy(plan.mean(i), out);
        if (pool == Pool::kMax) max_pool(plan.map(i), out);
        if (pool == Pool::kGem) gem_pool(plan.map(i), pooling_.gem_p, out);
        out += channels_of_layer(plans_.layout(), pooling_.layers[i]);
      }
    }
  }

  FeaturePooling pooling_;
  PlanPerThread plans_;
};

class InferenceTrunk : public Trunk {
 public:
  InferenceTrunk(const ResNetWeights& weights, int layer, int threads)
      : layer_(layer),
        plans_(weights, threads,
               {.outputs = {{.end_block = blocks_before(weights.layout, layer), .map = true}}}) {}

  void run(std::span<const float> images, int size, View<float> out) override {
    if (out.cols != input_of_layer(plans_.layout(), layer_, size).numbers()) {
      fail("expected room for the input of layer{}, found {} numbers", layer_, out.cols);
    }
    plans_.run(images, size, out.rows, [&](InferencePlan& plan, const float* image, size_t i) {
      plan.run(image);
      std::ranges::copy(plan.map(0).flat(), out.row(i));
    });
  }

 private:
  int layer_;
  PlanPerThread plans_;
};

}  // namespace

std::unique_ptr<Backbone> make_inference_resnet(const ResNetWeights& weights, int threads,
                                                const FeaturePooling& pooling) {
  auto network = std::make_unique<InferenceResNet>(weights, 0, threads, pooling);
  if (pooling.mirror) return make_mirrored(std::move(network));
  return network;
}

std::unique_ptr<Backbone> make_inference_resnet_from(const ResNetWeights& weights, int layer,
                                                     int threads) {
  return std::make_unique<InferenceResNet>(weights, layer, threads, FeaturePooling{});
}

std::unique_ptr<Trunk> make_trunk(const ResNetWeights& weights, int layer, int threads) {
  return std::make_unique<InferenceTrunk>(weights, layer, threads);
}

}  // namespace spml
