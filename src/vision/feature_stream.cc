#include "vision/feature_stream.h"

#include <algorithm>

#include "base/fail.h"
#include "data/dataset_json.h"
#include "vision/normalise.h"

namespace spml {
namespace {

// The size of the images, which may come from a file, once it is known that they fit: a batch of
// them as numbers, those decoded ahead as bytes, and what the layers of a ResNet hold for the one
// that each thread computes (64 channels of half the size, then thrice 256 of a quarter).
int fitting_size(size_t batch, const ImageQueue::Options& queue) {
  if (queue.size < 1 || queue.size > kMaxImageSize) {
    fail("expected images of 1 to {} pixels a side, found {}", kMaxImageSize, queue.size);
  }
  const auto side = static_cast<uint64_t>(queue.size);
  const uint64_t pixels = side * side, threads = static_cast<uint64_t>(queue.threads);
  const uint64_t layers = pixels * (64 / 4 + 64 / 16 + 3 * 256 / 16) * sizeof(float);
  queue.decode.memory.require(saturating_sum(saturating_product(batch, 3 * pixels, sizeof(float)),
                                             saturating_product(queue.ahead, 3 * pixels),
                                             saturating_product(threads, layers)),
                              fmt::format("a network at {0} x {0} pixels", queue.size));
  return queue.size;
}

}  // namespace

FeatureStream::FeatureStream(std::vector<Path> files, Backbone& backbone, size_t batch,
                             ImageQueue::Options queue)
    : backbone_(backbone),
      batch_(batch),
      files_(files.size()),
      size_(fitting_size(batch, queue)),
      queue_(std::move(files), queue) {}

FeatureBatch FeatureStream::next() {
  const size_t B = std::min(batch_, files_ - next_), D = backbone_.features();
  const size_t pixels = 3 * static_cast<size_t>(size_) * static_cast<size_t>(size_);
  images_.resize(B * pixels);
  FeatureBatch batch;
  std::vector<size_t> rows;  // of this batch, with an image
  for (size_t i = 0; i < B; ++i) {
    LoadedImage loaded = queue_.next();
    if (loaded.error.empty()) {
      normalise(loaded.image, std::span(images_).subspan(rows.size() * pixels, pixels));
      rows.push_back(i);
    }
    batch.errors.push_back(std::move(loaded.error));
  }
  next_ += B;
  computed_.resize(rows.size() * D);
  if (!rows.empty()) {
    backbone_.run(std::span(images_).first(rows.size() * pixels), size_,
                  {computed_.data(), rows.size(), D});
  }
  features_.assign(B * D, 0.0f);
  for (size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(computed_.begin() + static_cast<ptrdiff_t>(k * D), D,
                features_.begin() + static_cast<ptrdiff_t>(rows[k] * D));
  }
  batch.features = {features_.data(), B, D};
  return batch;
}

}  // namespace spml
