#include "vision/extract.h"

#include <chrono>

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/folder_update.h"
#include "formats/json.h"
#include "vision/feature_stream.h"

namespace spml {
namespace {

constexpr size_t kMaxJson = size_t{1} << 26;
using Clock = std::chrono::steady_clock;

struct Part {
  std::string name;
  std::vector<std::string> images;
  std::string images_sha256;
};

Path dataset_json(const Path& folder) { return folder / "dataset.json"; }

DatasetInfo read_info(const Path& folder) {
  const Path path = dataset_json(folder);
  if (!path_exists(path)) return {};
  return parse_dataset_json(read_file(path, kMaxJson), path.string());
}

std::vector<Part> find_parts(const Path& folder) {
  std::vector<Part> parts;
  for (const char* name : {"train", "val"}) {
    const Path path = folder / fmt::format("formatted_{}_images.npy", name);
    if (!path_exists(path)) continue;
    const NpyArray names(path);
    if (names.rows() > kMaxRows) {
      fail("{}: expected at most {} rows, found {}", path.string(), kMaxRows, names.rows());
    }
    Part part{name, {}, sha256_of_file(path)};
    for (size_t i = 0; i < names.rows(); ++i) part.images.push_back(names.text(i));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    fail(
        "{}: expected image names in formatted_train_images.npy, found none; make a data folder "
        "with `spml import`",
        folder.string());
  }
  return parts;
}

nlohmann::json provenance(const BackboneInfo& info, const ExtractOptions& options, size_t D) {
  nlohmann::json json = to_json(FeatureOrigin{info, options.size});
  json["dtype"] = options.half ? "f16" : "f32";
  json["features"] = D;
  return json;
}

class Extraction {
 public:
  Extraction(const Path& folder, const std::string& image_root, Backbone& backbone,
             const ExtractOptions& options, const ExtractCallbacks& callbacks)
      : folder_(folder),
        image_root_(image_root),
        backbone_(backbone),
        options_(options),
        callbacks_(callbacks) {}

  // Appends the rows that are missing; `before` rows of other parts count as done in the progress.
  void run(const Part& part, PartialFeatures& out, uint64_t before, uint64_t total) {
    std::vector<Path> files;
    for (size_t i = out.done(); i < part.images.size(); ++i) {
      files.push_back(
          image_path(folder_, image_root_, part.images[i], fmt::format("{} row {}", part.name, i)));
    }
    FeatureStream stream(std::move(files), backbone_, options_.batch,
                         {.size = options_.size,
                          .threads = options_.threads,
                          .ahead = 2 * options_.batch,
                          .decode = options_.decode});
    auto last_sync = Clock::now();
    Clock::duration
        cost{};  // of the last one; making rows durable may take a twentieth of the time
    while (out.done() < part.images.size()) {
      append_batch(part, stream, out);
      const bool stop = callbacks_.stop && callbacks_.stop();
      const auto now = Clock::now();
      if (stop || now - last_sync > 20 * cost) {
        out.sync();
        last_sync = Clock::now();
        cost = last_sync - now;
      }
      if (callbacks_.progress) callbacks_.progress(before + out.done(), total);
      if (stop) throw Error("stopped; run the command again to go on", Error::Kind::kInterrupted);
    }
    out.sync();
  }

 private:
  void append_batch(const Part& part, FeatureStream& stream, PartialFeatures& out) {
    const size_t first = out.done();
    FeatureBatch batch = stream.next();
    std::vector<SkippedImage> skipped;
    for (size_t i = 0; i < batch.errors.size(); ++i) {
      if (batch.errors[i].empty()) continue;
      if (!options_.skip_errors) {
        out.sync();
        fail("{} (row {} of {}); --on-error skip leaves such rows zero", batch.errors[i], first + i,
             part.name);
      }
      skipped.push_back({first + i, part.images[first + i], std::move(batch.errors[i])});
    }
    out.append(batch.features);
    for (SkippedImage& image : skipped) out.skip(std::move(image));
  }

  Path folder_;
  std::string image_root_;
  Backbone& backbone_;
  const ExtractOptions& options_;
  const ExtractCallbacks& callbacks_;
};

// Adds the "extraction" object; where the folder named its feature files itself, it now names the
// new ones.
void record(const Path& folder, const nlohmann::json& settings,
            const std::vector<ExtractedPart>& parts) {
  const Path path = dataset_json(folder);
  auto json = nlohmann::ordered_json::object();
  if (path_exists(path)) json = nlohmann::ordered_json::parse(read_file(path, kMaxJson));
  auto& extraction = json["extraction"] = settings;
  for (const ExtractedPart& part : parts) {
    auto skipped = nlohmann::ordered_json::array();
    for (const SkippedImage& s : part.skipped) {
      skipped.push_back({{"row", s.row}, {"image", s.image}, {"reason", s.reason}});
    }
    extraction["skipped"][part.part] = skipped;
    if (json.contains("features")) json["features"][part.part] = part.file.filename().string();
  }
  write_file(path, json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace

std::vector<ExtractedPart> extract_features(const Path& folder, Backbone& backbone,
                                            const BackboneInfo& info, const ExtractOptions& options,
                                            const ExtractCallbacks& callbacks) {
  if (!is_folder(folder)) fail("{}: expected a data folder", folder.string());
  const auto lock = lock_data_folder(folder);
  refuse_unfinished(folder);
  const DatasetInfo dataset = read_info(folder);
  const std::vector<Part> parts = find_parts(folder);
  const nlohmann::json settings = provenance(info, options, backbone.features());

  std::vector<std::unique_ptr<PartialFeatures>> outputs;
  std::vector<ExtractedPart> result;
  uint64_t total = 0;
  for (const Part& part : parts) {
    const Path file = features_file(folder, part.name);
    nlohmann::json key = settings;
    key["images_sha256"] = part.images_sha256;
    auto output = std::make_unique<PartialFeatures>(
        file, PartialFeatures::Shape{part.images.size(), backbone.features(), options.half}, key,
        options.force);
    result.push_back({part.name, file, part.images.size(), output->done(), {}});
    total += part.images.size();
    outputs.push_back(std::move(output));
  }

  if (callbacks.notice && images_are_elsewhere(folder, dataset.image_root)) {
    callbacks.notice(elsewhere_notice(folder, dataset.image_root));
  }
  Extraction extraction(folder, dataset.image_root, backbone, options, callbacks);
  uint64_t before = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!outputs[i]->placed()) extraction.run(parts[i], *outputs[i], before, total);
    before += parts[i].images.size();
    result[i].skipped = outputs[i]->skipped();
  }
  for (auto& output : outputs) output->place();
  record(folder, settings, result);
  for (auto& output : outputs) output->forget();
  return result;
}

}  // namespace spml
