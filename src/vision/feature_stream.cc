#include "vision/feature_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "data/dataset_json.h"
#include "vision/image/normalise.h"

namespace spml {
namespace {

size_t pixels_of(int size) { return 3 * static_cast<size_t>(size) * static_cast<size_t>(size); }

// The sizes of the images, which may come from a file, once it is known that they fit: a batch of
// them as numbers, those decoded ahead as bytes, and what the layers of a ResNet hold for the one
// that each thread computes (64 channels of half the size, then thrice 256 of a quarter).
std::vector<int> fitting_sizes(size_t batch, const ImageQueue::Options& queue) {
  uint64_t bytes = 0;
  for (const int size : queue.sizes) {
    if (size < 1 || size > kMaxImageSize) {
      fail("expected images of 1 to {} pixels a side, found {}", kMaxImageSize, size);
    }
    const uint64_t numbers = pixels_of(size), threads = static_cast<uint64_t>(queue.threads);
    const uint64_t layers = numbers / 3 * (64 / 4 + 64 / 16 + 3 * 256 / 16) * sizeof(float);
    bytes = saturating_sum(bytes, saturating_product(batch, numbers, sizeof(float)),
                           saturating_product(queue.ahead, numbers),
                           saturating_product(threads, layers));
  }
  queue.decode.memory.require(
      bytes, fmt::format("a network at {} pixels a side", fmt::join(queue.sizes, " and ")));
  return queue.sizes;
}

}  // namespace

FeatureStream::FeatureStream(std::vector<Path> files, Backbone& backbone, size_t batch,
                             const ImageQueue::Options& queue)
    : backbone_(backbone),
      batch_(batch),
      files_(files.size()),
      sizes_(fitting_sizes(batch, queue)),
      queue_(std::move(files), queue),
      images_(sizes_.size()) {}

FeatureBatch FeatureStream::next() {
  const size_t B = std::min(batch_, files_ - next_), D = backbone_.features();
  for (size_t s = 0; s < sizes_.size(); ++s) images_[s].resize(B * pixels_of(sizes_[s]));
  FeatureBatch batch;
  std::vector<size_t> rows;  // of this batch, with an image
  for (size_t i = 0; i < B; ++i) {
    LoadedImage loaded = queue_.next();
    for (size_t s = 0; s < loaded.images.size(); ++s) {
      const size_t pixels = pixels_of(sizes_[s]);
      normalise(loaded.images[s], std::span(images_[s]).subspan(rows.size() * pixels, pixels));
    }
    if (loaded.error.empty()) rows.push_back(i);
    batch.errors.push_back(std::move(loaded.error));
  }
  next_ += B;
  features_.assign(B * features(), 0.0f);
  const View<float> out{features_.data(), B, features()};
  computed_.resize(rows.size() * D);
  for (size_t s = 0; s < sizes_.size() && !rows.empty(); ++s) {
    backbone_.run(std::span(images_[s]).first(rows.size() * pixels_of(sizes_[s])), sizes_[s],
                  {computed_.data(), rows.size(), D});
    for (size_t k = 0; k < rows.size(); ++k) {
      std::copy_n(computed_.begin() + static_cast<ptrdiff_t>(k * D), D, out.row(rows[k]) + s * D);
    }
  }
  batch.features = {features_.data(), B, features()};
  return batch;
}

}  // namespace spml
