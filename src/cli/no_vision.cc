// The image parts of a build without SPML_VISION: they say what is missing.
#include "base/fail.h"
#include "cli/images.h"

namespace spml::cli {
namespace {

[[noreturn]] void fail_no_images(const std::string& what) {
  fail(
      "{} needs image support, and this program was built without it; build with "
      "`cmake --preset release -DSPML_VISION=ON && cmake --build build`",
      what);
}

}  // namespace

void extract(const ExtractFlags&) { fail_no_images("`spml extract`"); }

void fetch_weights(const WeightsFlags&) { fail_no_images("`spml weights fetch`"); }

void import_weights(const WeightsFlags&) { fail_no_images("`spml weights import`"); }

void complete(ImageConfig&) { fail_no_images("a mode other than linear"); }

ImageModelMaker image_model_maker(const std::string&, const CacheFlags&,
                                  const std::function<void(const std::string&)>&) {
  return {};
}

void clear_cache(const CacheFlags&) {}

DrawImage scene_painter(int, uint64_t) { fail_no_images("`spml synth --images`"); }

FeatureMatrix features_of_images(const TrainedModel&, const std::vector<Path>&, const NetworkFlags&,
                                 const Common&) {
  fail_no_images("scoring images");
}

}  // namespace spml::cli
