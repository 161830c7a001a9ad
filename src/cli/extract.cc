// spml extract
#include "vision/extract.h"

#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "cli/network.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder, dtype = "f32", on_error = "stop";
  NetworkFlags network;
  ExtractOptions options;
};

Json to_json(const ExtractedPart& part) {
  Json skipped = Json::array();
  for (const SkippedImage& s : part.skipped) {
    skipped.push_back({{"row", s.row}, {"image", s.image}, {"reason", s.reason}});
  }
  return {{"part", part.part},
          {"file", part.file.string()},
          {"rows", part.rows},
          {"resumed_rows", part.resumed_rows},
          {"skipped", skipped}};
}

void run(Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  arguments.options.half = arguments.dtype == "f16";
  arguments.options.skip_errors = arguments.on_error == "skip";
  arguments.options.threads = arguments.common.threads;
  const Network network =
      open_network(arguments.network, arguments.options.size, arguments.common.threads);
  Progress progress("extract", "images", arguments.common.quiet);
  catch_interrupt();
  const auto parts = extract_features(
      arguments.folder, *network.backbone, network.info, arguments.options,
      {.progress = [&](uint64_t done, uint64_t total) { progress.update(done, total); },
       .stop = interrupted});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  if (arguments.common.json) {
    Json list = Json::array();
    for (const ExtractedPart& part : parts) list.push_back(to_json(part));
    print_json({{"parts", list},
                {"features", network.backbone->features()},
                {"weights_sha256", network.info.sha256},
                {"architecture", network.info.architecture},
                {"variant", network.info.variant},
                {"size", arguments.options.size},
                {"dtype", arguments.dtype},
                {"seconds", seconds.count()}});
    return;
  }
  for (const ExtractedPart& part : parts) {
    fmt::print("{}: {} x {}\n", part.file.string(), part.rows, network.backbone->features());
    for (const SkippedImage& s : part.skipped) {
      fmt::print("  row {} skipped, left zero: {}\n", s.row, s.reason);
    }
  }
}

}  // namespace

void add_extract(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(app, "extract", "Compute the features of a data folder's images");
  verb.add_option("DIR", arguments->folder, "Data folder")->required();
  add_network_flags(verb, arguments->network);
  verb.add_option("--size", arguments->options.size, "Images are resized to SIZE x SIZE")
      ->check(CLI::Range(32, 4096))
      ->capture_default_str();
  verb.add_option("--batch", arguments->options.batch, "Images per pass through the network")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb.add_option("--dtype", arguments->dtype, "Type of the features")
      ->check(CLI::IsMember({"f32", "f16"}))
      ->capture_default_str();
  verb.add_option("--on-error", arguments->on_error, "What an unreadable image does")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  verb.add_option("--max-pixels", arguments->options.decode.max_pixels,
                  "Larger images count as unreadable")
      ->capture_default_str();
  verb.add_flag("--force", arguments->options.force, "Replace feature files that exist");
  add_threads(verb, arguments->common);
  add_json(verb, arguments->common);
  add_quiet(verb, arguments->common);
  verb.callback([arguments] { run(*arguments); });
}

}  // namespace spml::cli
