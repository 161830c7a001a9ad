// spml weights fetch, spml weights import
#include <fmt/core.h>

#include <cstdlib>
#include <memory>

#include "base/fail.h"
#include "base/sha256.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "vision/imagenet_package.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string source, out;
  bool force = false;
};

Json describe(const ResNetWeights& weights, const Path& file) {
  return {{"file", file.string()},
          {"sha256", sha256_of_file(file)},
          {"architecture", weights.layout.name()},
          {"variant", std::string(to_string(weights.layout.variant))},
          {"features", weights.layout.features}};
}

void report(const Arguments& arguments, const Json& description, const std::string& done) {
  if (arguments.common.json) {
    print_json(description);
  } else {
    fmt::print("{}: {} {}, {}\n", description["file"].get<std::string>(),
               description["architecture"].get<std::string>(),
               description["variant"].get<std::string>(), done);
  }
}

void fetch(const Arguments& arguments) {
  const Path folder = cache_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  const FetchResult result = fetch_imagenet_weights(folder, [&](std::string_view what) {
    if (!arguments.common.quiet) notice(std::string(what));
  });
  Json description = describe(load_resnet(result.weights), result.weights);
  description["already_there"] = result.already_there;
  report(arguments, description,
         result.already_there ? "already there, nothing to do" : "downloaded and converted");
}

void import(const Arguments& arguments) {
  const Path out = arguments.out;
  if (out.extension() != ".safetensors") {
    fail_usage("--out: expected a name that ends in .safetensors, found '{}'", arguments.out);
  }
  if (!arguments.force && std::filesystem::exists(out)) {
    fail("{}: exists already; --force replaces it", out.string());
  }
  ResNetWeights weights = import_resnet(arguments.source);
  weights.origin.try_emplace("source", Path(arguments.source).filename().string());
  weights.origin.try_emplace("sha256", sha256_of_file(arguments.source));
  save_resnet(weights, out);
  report(arguments, describe(weights, out), "imported");
}

}  // namespace

void add_weights(CLI::App& app) {
  CLI::App& group = *app.add_subcommand("weights", "Get the weights of an image network");
  group.require_subcommand(1);

  auto fetched = std::make_shared<Arguments>();
  CLI::App& fetch_verb =
      add_verb(group, "fetch", "Download an ImageNet ResNet-50 with npm into the cache");
  add_json(fetch_verb, fetched->common);
  add_quiet(fetch_verb, fetched->common);
  fetch_verb.callback([fetched] { fetch(*fetched); });

  auto imported = std::make_shared<Arguments>();
  CLI::App& import_verb =
      add_verb(group, "import", "Convert a torchvision or timm ResNet-18, 34, 50 or 101");
  import_verb.add_option("SRC", imported->source, "A state dict, .pth or .safetensors")->required();
  import_verb.add_option("--out", imported->out, "The file to write")
      ->type_name("FILE.safetensors")
      ->required();
  import_verb.add_flag("--force", imported->force, "Replace the file if it exists");
  add_json(import_verb, imported->common);
  import_verb.callback([imported] { import(*imported); });
}

}  // namespace spml::cli
