// Image files -> features, where those of images that were extracted before are copied.
#pragma once

#include <memory>
#include <vector>

#include "data/earlier_features.h"
#include "vision/feature_stream.h"

namespace spml {

class ReusingStream {
 public:
  // `identities` are those of the files; empty: nothing is known of earlier features. The backbone
  // and `earlier` must outlive the stream.
  ReusingStream(const std::vector<Path>& files, const std::vector<ImageIdentity>& identities,
                const EarlierFeatures& earlier, Backbone& backbone, size_t batch,
                const ImageQueue::Options& queue);

  // Of the next files, `batch` of them or what is left. Valid until the next call.
  FeatureBatch next();
  size_t reused() const { return reused_; }  // rows copied so far

 private:
  // The next row of the images that are new; its error, or "".
  std::string take_new(std::span<float> out);

  std::vector<ImageIdentity> identities_;
  const EarlierFeatures& earlier_;
  size_t batch_, files_, next_ = 0, reused_ = 0;
  std::vector<bool> is_new_;
  std::unique_ptr<FeatureStream> new_images_;
  FeatureBatch computed_;
  size_t taken_ = 0;
  std::vector<float> features_;
};

}  // namespace spml
