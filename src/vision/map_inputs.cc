#include <algorithm>
#include <optional>

#include "base/fail.h"
#include "base/float16.h"
#include "base/parallel.h"
#include "vision/activation_cache.h"
#include "vision/backbone.h"
#include "vision/image/image_queue.h"
#include "vision/image/normalise.h"
#include "vision/network_inputs.h"

namespace spml {
namespace {

void mirror(Image& image) {
  const auto width = static_cast<size_t>(image.width), height = static_cast<size_t>(image.height);
  for (size_t y = 0; y < height; ++y) {
    uint8_t* const row = image.rgb.data() + 3 * y * width;
    for (size_t left = 0, right = width - 1; left < right; ++left, --right) {
      std::swap_ranges(row + 3 * left, row + 3 * left + 3, row + 3 * right);
    }
  }
}

class MapInputs : public NetworkInputs {
 public:
  MapInputs(const ResNetWeights& weights, std::vector<Path> files, const MapInputsOptions& options)
      : options_(options),
        files_(std::move(files)),
        numbers_(input_of_layer(weights.layout, options.layer, options.size).numbers()),
        trunk_(make_trunk(weights, options.layer, options.threads)) {
    if (options.cache.empty()) return;
    const std::string name = fmt::format("layer{}-{}px-{}", options.layer, options.size,
                                         options.weights_sha256.substr(0, 16));
    cache_.emplace(options.cache, name, files_, numbers_);
  }

  size_t numbers() const override { return numbers_; }
  void prefetch(std::span<const int32_t>) override {}  // most of it comes from the cache

  void load(std::span<const int32_t> rows, const std::vector<bool>& mirrored,
            std::span<float> out) override {
    halves_.resize(rows.size() * numbers_);
    std::vector<char> there(rows.size(), 0);
    parallel_for(rows.size(), options_.threads, [&](size_t b) {
      there[b] = cache_ && cache_->read(static_cast<size_t>(rows[b]), mirrored[b], entry(b));
    });
    std::vector<size_t> missing;
    for (size_t b = 0; b < rows.size(); ++b) {
      if (there[b] == 0) missing.push_back(b);
    }
    if (!missing.empty()) compute(rows, mirrored, missing);
    parallel_for(rows.size(), options_.threads, [&](size_t b) {
      std::ranges::transform(entry(b), out.begin() + static_cast<ptrdiff_t>(b * numbers_),
                             half_to_float);
    });
  }

 private:
  std::span<uint16_t> entry(size_t b) { return std::span(halves_).subspan(b * numbers_, numbers_); }

  // Also what was just computed is used as it was rounded: the same with and without a cache.
  void compute(std::span<const int32_t> rows, const std::vector<bool>& mirrored,
               const std::vector<size_t>& missing) {
    std::vector<Path> files;
    for (const size_t b : missing) files.push_back(files_.at(static_cast<size_t>(rows[b])));
    ImageQueue queue(std::move(files), {.sizes = {options_.size},
                                        .threads = options_.threads,
                                        .ahead = missing.size(),
                                        .decode = {}});
    const size_t pixels =
        3 * static_cast<size_t>(options_.size) * static_cast<size_t>(options_.size);
    std::vector<float> images(missing.size() * pixels), maps(missing.size() * numbers_);
    for (size_t k = 0; k < missing.size(); ++k) {
      LoadedImage loaded = queue.next();
      const size_t b = missing[k];
      if (!loaded.error.empty()) fail("{} (row {} of the training file)", loaded.error, rows[b]);
      if (mirrored[b]) mirror(loaded.images.front());
      normalise(loaded.images.front(), std::span(images).subspan(k * pixels, pixels));
    }
    trunk_->run(images, options_.size, {maps.data(), missing.size(), numbers_});
    for (size_t k = 0; k < missing.size(); ++k) {
      const size_t b = missing[k];
      const auto map = std::span(maps).subspan(k * numbers_, numbers_);
      std::ranges::transform(map, entry(b).begin(), float_to_half);
      if (std::ranges::any_of(entry(b),
                              [](uint16_t h) { return (h & kHalfExponent) == kHalfExponent; })) {
        fail("{}: a number below layer{} is too large for float16; use --train-from conv1",
             files_[static_cast<size_t>(rows[b])].string(), options_.layer);
      }
      if (cache_) cache_->write(static_cast<size_t>(rows[b]), mirrored[b], entry(b));
    }
  }

  MapInputsOptions options_;
  std::vector<Path> files_;
  size_t numbers_;
  std::unique_ptr<Trunk> trunk_;
  std::optional<ActivationCache> cache_;
  std::vector<uint16_t> halves_;  // of the batch
};

}  // namespace

std::unique_ptr<NetworkInputs> make_map_inputs(const ResNetWeights& weights,
                                               std::vector<Path> files,
                                               const MapInputsOptions& options) {
  return std::make_unique<MapInputs>(weights, std::move(files), options);
}

}  // namespace spml
