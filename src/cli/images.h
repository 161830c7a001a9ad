// The flags of verbs that work on images. In a build without SPML_VISION the verbs fail and say how
// to build with it (no_vision.cc).
#pragma once

#include <string>
#include <vector>

#include "cli/cluster.h"
#include "cli/flags/flags.h"
#include "cli/progress.h"
#include "data/feature_pooling.h"
#include "imaging/image_features.h"
#include "imaging/image_model.h"

namespace spml::cli {

void add_network_flags(std::vector<Flag>& flags, NetworkChoice& network);

// `spml extract`
struct ExtractFlags {
  Common common;
  std::string folder, dtype = "f32", on_error = "stop";
  std::string size = "448", pool = "avg", layers = "layer4";
  NetworkChoice network;
  double gem_p = kDefaultGemP;
  size_t batch = 16;
  uint64_t max_pixels = 178'956'970;  // at which Pillow refuses
  bool mirror = false, force = false;
  ClusterFlags cluster;
};
void extract(const ExtractFlags& flags);

// `spml weights fetch` and `spml weights import`
struct WeightsFlags {
  Common common;
  std::string source, out;
  bool force = false;
};
void fetch_weights(const WeightsFlags& flags);
void import_weights(const WeightsFlags& flags);

void add_cache_flags(std::vector<Flag>& flags, ActivationFolder& cache);
// For a verb that writes to `out`: a folder inside it unless one was given.
ActivationFolder with_default(ActivationFolder cache, const Path& out);

// Runs work on images with a progress bar and notices on stderr, unless --quiet was given.
template <class Run>
auto with_image_work(const Common& common, const Run& run) {
  Progress progress("images", "images", common.quiet);
  ImageWork work{.threads = common.threads, .progress = {}, .notice = {}};
  work.progress = [&](uint64_t done, uint64_t total) { progress.update(done, total); };
  if (!common.quiet) work.notice = notice;
  return run(work);
}

}  // namespace spml::cli
