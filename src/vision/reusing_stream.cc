#include "vision/reusing_stream.h"

#include <algorithm>

namespace spml {

ReusingStream::ReusingStream(const std::vector<Path>& files,
                             const std::vector<ImageIdentity>& identities,
                             const EarlierFeatures& earlier, Backbone& backbone, size_t batch,
                             const ImageQueue::Options& queue)
    : identities_(identities),
      earlier_(earlier),
      batch_(batch),
      files_(files.size()),
      is_new_(files.size(), true) {
  std::vector<Path> new_files;
  for (size_t i = 0; i < files.size(); ++i) {
    is_new_[i] = identities_.empty() || !earlier_.index().row_of(identities_[i]);
    if (is_new_[i]) new_files.push_back(files[i]);
  }
  new_images_ = std::make_unique<FeatureStream>(std::move(new_files), backbone, batch, queue);
}

std::string ReusingStream::take_new(std::span<float> out) {
  if (taken_ == computed_.errors.size()) {
    computed_ = new_images_->next();
    taken_ = 0;
  }
  std::copy_n(computed_.features.row(taken_), out.size(), out.begin());
  return std::move(computed_.errors[taken_++]);
}

FeatureBatch ReusingStream::next() {
  const size_t count = std::min(batch_, files_ - next_), D = new_images_->features();
  features_.resize(count * D);
  FeatureBatch batch;
  batch.errors.resize(count);
  for (size_t i = 0; i < count; ++i, ++next_) {
    const std::span<float> row = std::span(features_).subspan(i * D, D);
    if (is_new_[next_]) {
      batch.errors[i] = take_new(row);
    } else {
      earlier_.read(identities_[next_], row);
      ++reused_;
    }
  }
  batch.features = {features_.data(), count, D};
  return batch;
}

}  // namespace spml
