#include "vision/feature_stream.h"

#include <algorithm>

#include "vision/normalise.h"

namespace spml {

FeatureStream::FeatureStream(std::vector<Path> files, Backbone& backbone, size_t batch,
                             ImageQueue::Options queue)
    : backbone_(backbone),
      batch_(batch),
      files_(files.size()),
      size_(queue.size),
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
