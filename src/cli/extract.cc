// spml extract
#include "vision/extract.h"

#include <fmt/core.h>

#include <chrono>

#include "base/text.h"
#include "cli/cluster.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "imaging/network.h"

namespace spml::cli {
namespace {

Json to_json(const ExtractedPart& part) {
  Json skipped = Json::array();
  for (const SkippedImage& s : part.skipped) {
    skipped.push_back({{"row", s.row}, {"image", s.image}, {"reason", s.reason}});
  }
  return {{"part", part.part},
          {"file", part.file.string()},
          {"rows", part.rows},
          {"resumed_rows", part.resumed_rows},
          {"reused_rows", part.reused_rows},
          {"skipped", skipped}};
}

}  // namespace

void extract(const ExtractFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  ExtractOptions options;
  options.sizes = parse_sizes(flags.size, "--size");
  options.batch = flags.batch;
  options.half = flags.dtype == "f16";
  options.skip_errors = flags.on_error == "skip";
  options.force = flags.force;
  options.threads = flags.common.threads;
  options.cluster = joined_cluster();
  options.decode.max_pixels = flags.max_pixels;
  options.pooling = {parse_pools(flags.pool, "--pool"), flags.gem_p, flags.mirror,
                     parse_layers(flags.layers, "--layers")};
  const Network network =
      open_network(flags.network, options.sizes.front(), flags.common.threads, options.pooling);
  const size_t D = options.sizes.size() * network.backbone->features();
  Progress progress("extract", "images", flags.common.quiet);
  catch_interrupt();
  const auto parts = extract_features(
      flags.folder, *network.backbone, network.info, options,
      {.progress = [&](uint64_t done, uint64_t total) { progress.update(done, total); },
       .notice =
           [&](const std::string& text) {
             if (!flags.common.quiet) notice(text);
           },
       .stop = interrupted});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  if (flags.common.json) {
    Json list = Json::array();
    for (const ExtractedPart& part : parts) list.push_back(to_json(part));
    print_json(
        {{"parts", list},
         {"features", D},
         {"weights_sha256", network.info.sha256},
         {"architecture", network.info.architecture},
         {"variant", network.info.variant},
         {"size", options.sizes.size() == 1 ? Json(options.sizes.front()) : Json(options.sizes)},
         {"dtype", flags.dtype},
         {"pool", to_string(options.pooling.pools)},
         {"layers", flags.layers},
         {"mirror", flags.mirror},
         {"seconds", seconds.count()}});
    return;
  }
  for (const ExtractedPart& part : parts) {
    fmt::print("{}: {} x {}{}\n", part.file.string(), part.rows, D,
               part.reused_rows > 0 ? fmt::format(", {} of them as before", part.reused_rows) : "");
    for (const SkippedImage& s : part.skipped) {
      fmt::print("  row {} skipped, left zero: {}\n", s.row, printable(s.reason));
    }
  }
}

}  // namespace spml::cli
