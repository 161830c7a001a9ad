// What the verbs need of images. In a build without SPML_VISION each function is an Error that says
// how to build with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/cluster.h"
#include "cli/flags/flags.h"
#include "data/synth.h"
#include "fit/session.h"
#include "run/trained_model.h"

namespace spml::cli {

// Which network turns images into features.
struct NetworkFlags {
  std::string weights, backbone;
  bool trust_code = false;
};
void add_network_flags(std::vector<Flag>& flags, NetworkFlags& network);

// `spml extract`
struct ExtractFlags {
  Common common;
  std::string folder, dtype = "f32", on_error = "stop";
  std::string size = "448", pool = "avg", layers = "layer4";
  NetworkFlags network;
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

// Fills in the default weights, which `spml weights fetch` makes, and the checksum.
void complete(ImageConfig& image);

// Where runs with --train-from keep what the layers below compute, and whether it stays there.
struct CacheFlags {
  Path folder;
  bool keep = false;
};
void add_cache_flags(std::vector<Flag>& flags, CacheFlags& cache);
// For a verb that writes to `out`: a folder in there unless one was given.
CacheFlags with_default(CacheFlags cache, const Path& out);
// When all is done.
void clear_cache(const CacheFlags& cache);

// Makes the networks of RunOptions and SweepOptions on a device. Error when it cannot be used: now,
// not after the linear phase of linear-init. tell: what people should know before it takes long.
ImageModelMaker image_model_maker(const std::string& device, const CacheFlags& cache = {},
                                  const std::function<void(const std::string&)>& tell = {});

// Draws the scenes of `spml synth --images`, size x size pixels.
DrawImage scene_painter(int size, uint64_t seed);

// The features of images as the run's network computes them: its own if it was fine-tuned, else the
// one that its training features were made with; another is refused.
FeatureMatrix features_of_images(const TrainedModel& run, const std::vector<Path>& images,
                                 const NetworkFlags& flags, const Common& common);

}  // namespace spml::cli
