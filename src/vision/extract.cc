#include "vision/extract.h"

#include <chrono>

#include "base/fail.h"
#include "base/folders.h"
#include "base/sha256.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/folder_update.h"
#include "formats/json.h"
#include "vision/image_blocks.h"
#include "vision/reusing_stream.h"

namespace spml {
namespace {

constexpr size_t kMaxJson = size_t{1} << 26;
using Clock = std::chrono::steady_clock;

struct Part {
  std::string name;
  NpyArray images;  // their names
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
    NpyArray names(path);
    if (names.rows() > kMaxRows) {
      fail("{}: expected at most {} rows, found {}", path.string(), kMaxRows, names.rows());
    }
    parts.push_back({name, std::move(names), sha256_of_file(path)});
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
  nlohmann::json json = to_json(FeatureOrigin{info, options.sizes, options.pooling});
  json["dtype"] = options.half ? "f16" : "f32";
  json["features"] = D;
  return json;
}

// The images of rows from `first` on.
std::vector<ImageIdentity> identify(const std::vector<Path>& files, const Part& part, size_t first,
                                    const EarlierFeatures& earlier, int threads) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) names.push_back(part.images.text(first + i));
  return identify_images(files, names, earlier.index(), threads);
}

class Extraction {
 public:
  Extraction(const Path& folder, const std::string& image_root, Backbone& backbone,
             const EarlierFeatures& earlier, const ExtractOptions& options,
             const ExtractCallbacks& callbacks)
      : folder_(folder),
        image_root_(image_root),
        backbone_(backbone),
        earlier_(earlier),
        options_(options),
        callbacks_(callbacks) {}

  // Appends the rows that are missing; `before` rows of other parts count as done in the progress.
  void run(const Part& part, PartialFeatures& out, uint64_t before, uint64_t total) {
    run_rows(part, 0, part.images.rows(), out, before, total);
  }

  // The same block by block, with others if there are any.
  void run_blocks(const Part& part, const ImageBlocks& blocks, PartialFeatures& out,
                  uint64_t before, uint64_t total) {
    Cluster* const cluster = options_.cluster;
    if (cluster != nullptr) cluster->begin_dealing();
    uint64_t own = 0;
    const auto next = [&] { return cluster != nullptr ? cluster->next() : own++; };
    for (uint64_t b = next(); b < blocks.count(); b = next()) {
      const auto block = blocks.open(b);
      const size_t first = blocks.first(b), count = block->shape().rows;
      if (block->placed() || first + count <= out.done()) continue;
      run_rows(part, first, count, *block, before + first, total);
      block->place();
    }
    if (cluster != nullptr) cluster->wait_for_all();
    if (cluster == nullptr || cluster->is_first()) {
      blocks.join(out);
      out.sync();
    }
  }

  size_t reused() const { return reused_; }  // rows copied so far

 private:
  // `out` is of the rows from `offset` on.
  void run_rows(const Part& part, size_t offset, size_t count, PartialFeatures& out,
                uint64_t before, uint64_t total) {
    const size_t first = offset + out.done(), left = count - out.done();
    const std::vector<Path> files = image_files(folder_, image_root_, part.images, first, left);
    std::vector<ImageIdentity> identities;
    if (!earlier_.empty()) identities = identify(files, part, first, earlier_, options_.threads);
    ReusingStream stream(files, identities, earlier_, backbone_, options_.batch,
                         {.sizes = options_.sizes,
                          .threads = options_.threads,
                          .ahead = 2 * options_.batch,
                          .decode = options_.decode});
    auto last_sync = Clock::now();
    Clock::duration
        cost{};  // of the last one; making rows durable may take a twentieth of the time
    while (out.done() < count) {
      append_batch(part, offset, stream, out);
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
    reused_ += stream.reused();
  }

  void append_batch(const Part& part, size_t offset, ReusingStream& stream, PartialFeatures& out) {
    const size_t first = out.done();
    FeatureBatch batch = stream.next();
    std::vector<SkippedImage> skipped;
    for (size_t i = 0; i < batch.errors.size(); ++i) {
      if (batch.errors[i].empty()) continue;
      if (!options_.skip_errors) {
        out.sync();
        fail("{} (row {} of {}); --on-error skip leaves such rows zero", batch.errors[i],
             offset + first + i, part.name);
      }
      skipped.push_back(
          {first + i, part.images.text(offset + first + i), std::move(batch.errors[i])});
    }
    out.append(batch.features);
    for (SkippedImage& image : skipped) out.skip(std::move(image));
  }

  Path folder_;
  std::string image_root_;
  Backbone& backbone_;
  const EarlierFeatures& earlier_;
  const ExtractOptions& options_;
  const ExtractCallbacks& callbacks_;
  size_t reused_ = 0;
};

// Says beside the features which images they were made from; rows without features match none.
void record_rows(const Path& folder, const std::string& image_root, const Part& part,
                 const ExtractedPart& made, const EarlierFeatures& earlier, int threads) {
  const auto files = image_files(folder, image_root, part.images, 0, part.images.rows());
  std::vector<ImageIdentity> identities = identify(files, part, 0, earlier, threads);
  for (const SkippedImage& skipped : made.skipped) identities[skipped.row] = {};
  write_identities(identity_file(made.file), identities);
}

// Adds the "extraction" object; where the folder named its feature files itself, it now names the
// new ones.
void record(const Path& folder, const nlohmann::json& settings,
            const std::vector<ExtractedPart>& parts) {
  const Path path = dataset_json(folder);
  auto json = nlohmann::ordered_json::object();
  if (path_exists(path)) json = parse_ordered_json(read_file(path, kMaxJson), path.string());
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

// Ranks that share the images see the same ones and use the same network.
void expect_same_work(Cluster& cluster, const nlohmann::json& settings,
                      const std::vector<Part>& parts) {
  expect_same(cluster, "network",
              settings.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  for (const Part& part : parts) {
    expect_same(cluster, "list of " + part.name + " images", part.images_sha256);
  }
}

// What rank 0 has found.
bool all_know(Cluster* cluster, bool found) {
  return cluster == nullptr ? found : said_by_first(*cluster, found ? "yes" : "no") == "yes";
}

}  // namespace

std::vector<ExtractedPart> extract_features(const Path& folder, Backbone& backbone,
                                            const BackboneInfo& info, const ExtractOptions& options,
                                            const ExtractCallbacks& callbacks) {
  if (!is_folder(folder)) fail("{}: expected a data folder", folder.string());
  const bool is_first = options.cluster == nullptr || options.cluster->is_first();
  std::unique_ptr<FileLock> lock;
  if (is_first) {
    lock = lock_data_folder(folder);
    refuse_unfinished(folder, "extract");
  }
  const DatasetInfo dataset = read_info(folder);
  const std::vector<Part> parts = find_parts(folder);
  const size_t D = options.sizes.size() * backbone.features();
  const nlohmann::json settings = provenance(info, options, D);
  if (options.cluster != nullptr) expect_same_work(*options.cluster, settings, parts);

  std::vector<std::unique_ptr<PartialFeatures>> outputs;
  std::vector<ImageBlocks> blocks;
  std::vector<ExtractedPart> result;
  uint64_t total = 0;
  for (const Part& part : parts) {
    const Path file = features_file(folder, part.name);
    nlohmann::json key = settings;
    key["images_sha256"] = part.images_sha256;
    const PartialFeatures::Shape shape{part.images.rows(), D, options.half};
    auto output = std::make_unique<PartialFeatures>(file, shape, key, options.force);
    blocks.emplace_back(file, shape, key, options.batch);
    result.push_back({part.name, file, part.images.rows(), output->done(), 0, {}});
    total += part.images.rows();
    outputs.push_back(std::move(output));
  }

  if (callbacks.notice && images_are_elsewhere(folder, dataset.image_root)) {
    callbacks.notice(elsewhere_notice(folder, dataset.image_root));
  }
  const EarlierFeatures earlier(folder, settings, D);
  Extraction extraction(folder, dataset.image_root, backbone, earlier, options, callbacks);
  uint64_t before = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t reused = extraction.reused();
    const bool in_blocks = options.cluster != nullptr || blocks[i].left_over();
    const bool is_done = all_know(options.cluster, outputs[i]->placed());
    if (!is_done && in_blocks) {
      extraction.run_blocks(parts[i], blocks[i], *outputs[i], before, total);
    } else if (!is_done) {
      extraction.run(parts[i], *outputs[i], before, total);
    }
    before += parts[i].images.rows();
    result[i].reused_rows = extraction.reused() - reused;
    result[i].skipped = outputs[i]->skipped();
  }
  if (!is_first) return {};
  UnfinishedMark mark(folder, "extract");
  for (const ExtractedPart& part : result) remove_file(identity_file(part.file));
  for (auto& output : outputs) output->place();
  for (size_t i = 0; i < parts.size(); ++i) {
    record_rows(folder, dataset.image_root, parts[i], result[i], earlier, options.threads);
  }
  record(folder, settings, result);
  mark.lift();
  for (auto& output : outputs) output->forget();
  EarlierFeatures::remove(folder);
  for (const ImageBlocks& left : blocks) left.remove();
  return result;
}

}  // namespace spml
