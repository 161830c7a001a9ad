// Image files -> features, a batch at a time, while worker threads decode ahead. Where images are
// seen at several sizes, a row has what the network makes of each, in their order.
#pragma once

#include <string>
#include <vector>

#include "vision/backbone.h"
#include "vision/image/image_queue.h"

namespace spml {

struct FeatureBatch {
  View<const float> features;       // (B, D of all sizes); zeros where there is no image
  std::vector<std::string> errors;  // (B): why there is none, or ""
};

class FeatureStream {
 public:
  // The backbone must outlive the stream.
  FeatureStream(std::vector<Path> files, Backbone& backbone, size_t batch,
                const ImageQueue::Options& queue);

  size_t features() const { return sizes_.size() * backbone_.features(); }
  bool done() const { return next_ == files_; }
  // The next files, `batch` of them or what is left. Valid until the next call.
  FeatureBatch next();

 private:
  Backbone& backbone_;
  size_t batch_, files_, next_ = 0;
  std::vector<int> sizes_;
  ImageQueue queue_;
  std::vector<std::vector<float>> images_;  // of each size
  std::vector<float> computed_, features_;
};

}  // namespace spml
