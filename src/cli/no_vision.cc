// The image parts of a build without SPML_VISION: they say what is missing.
#include "base/fail.h"
#include "cli/images.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

[[noreturn]] void fail_no_images(const std::string& what) {
  fail(
      "{} needs image support, and this program was built without it; build with "
      "`cmake --preset release -DSPML_VISION=ON && cmake --build build`",
      what);
}

void add_missing(CLI::App& app, const std::string& name, const std::string& help) {
  CLI::App& verb = *app.add_subcommand(name, help + " (not in this build)");
  verb.allow_extras();
  verb.callback([name] { fail_no_images("`spml " + name + "`"); });
}

}  // namespace

void add_weights(CLI::App& app) {
  add_missing(app, "weights", "Get the weights of an image network");
}

void add_extract(CLI::App& app) {
  add_missing(app, "extract", "Compute the features of a data folder's images");
}

void add_network_flags(CLI::App&, NetworkFlags&) {}

void complete(ImageConfig&) { fail_no_images("a mode other than linear"); }

ImageModelMaker image_model_maker() { return {}; }

DrawImage scene_painter(int, uint64_t) { fail_no_images("`spml synth --images`"); }

FeatureMatrix features_of_images(const TrainedModel&, const std::vector<Path>&, const NetworkFlags&,
                                 const Common&) {
  fail_no_images("scoring images");
}

}  // namespace spml::cli
