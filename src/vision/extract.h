// Images of a data folder -> its feature files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "data/dataset_json.h"
#include "vision/backbone.h"
#include "vision/image/image.h"
#include "vision/partial_features.h"

namespace spml {

struct ExtractOptions {
  std::vector<int> sizes{448};
  size_t batch = 16;
  bool half = false;
  FeaturePooling pooling{};  // of the backbone, for the record
  bool skip_errors = false;  // else the first unreadable image is an Error
  bool force = false;        // replace feature files that exist
  int threads = 1;
  DecodeOptions decode;
  // Whose processes are dealt blocks of images; all must see the folder. Rank 0 joins the blocks.
  Cluster* cluster = nullptr;
};

struct ExtractCallbacks {
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<void(const std::string&)> notice;  // what people should know before it starts
  std::function<bool()> stop;  // true: keep what is done and throw Error of kind kInterrupted
};

struct ExtractedPart {
  std::string part;  // "train" or "val"
  Path file;
  size_t rows = 0, resumed_rows = 0;
  size_t reused_rows = 0;  // of images that were extracted before (see earlier_features.h)
  std::vector<SkippedImage> skipped;  // their rows are zeros, so that rows and labels stay aligned
};

// Extracts every part that has image names. Both files get their names at the very end, and then
// dataset.json, whose other keys are kept, gets an "extraction" object. A run that was killed is
// continued by the next one with the same settings, by however many processes. Images whose
// features `spml import --update` has kept are not extracted again. Only rank 0 returns the parts.
std::vector<ExtractedPart> extract_features(const Path& folder, Backbone& backbone,
                                            const BackboneInfo& info, const ExtractOptions& options,
                                            const ExtractCallbacks& callbacks);

}  // namespace spml
