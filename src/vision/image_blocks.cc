#include "vision/image_blocks.h"

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "formats/npy.h"

namespace spml {
namespace {

// Enough for many processes to finish at about the same time, few enough for one folder.
constexpr size_t kBlocks = 256;

constexpr const char* kMark = ".block-";

}  // namespace

// A block is a whole number of batches: the network then sees the batches of one process.
ImageBlocks::ImageBlocks(const Path& file, PartialFeatures::Shape shape, nlohmann::json settings,
                         size_t batch)
    : file_(file), shape_(shape), settings_(std::move(settings)) {
  const size_t batches = (shape.rows + batch - 1) / batch;
  block_ = std::max<size_t>(1, (batches + kBlocks - 1) / kBlocks) * batch;
}

Path ImageBlocks::path(size_t block) const {
  return file_.parent_path() / fmt::format(".{}{}{}.npy", file_.stem().string(), kMark, block);
}

// Those of all blocks. PartialFeatures hides its own files once more.
std::vector<Path> ImageBlocks::files() const {
  const std::string name = fmt::format(".{}{}", file_.stem().string(), kMark);
  const std::string hidden = fmt::format(".{}", name);
  std::vector<Path> found;
  for (const Path& entry : list_folder(file_.parent_path())) {
    const std::string entry_name = entry.filename().string();
    if (entry_name.starts_with(name) || entry_name.starts_with(hidden)) found.push_back(entry);
  }
  return found;
}

std::unique_ptr<PartialFeatures> ImageBlocks::open(size_t block) const {
  PartialFeatures::Shape shape = shape_;
  shape.rows = std::min(block_, shape_.rows - first(block));
  nlohmann::json settings = settings_;
  settings["first_row"] = first(block);
  return std::make_unique<PartialFeatures>(path(block), shape, settings, true);
}

void ImageBlocks::join(PartialFeatures& whole) const {
  std::vector<float> rows;
  for (size_t b = whole.done() / block_; b < count(); ++b) {
    const auto block = open(b);
    if (!block->placed()) fail("{}: expected a finished block, found none", path(b).string());
    const NpyArray array(path(b));
    if (array.rows() != block->shape().rows || array.cols() != shape_.cols) {
      fail("{}: expected {} rows of {} features, found {} x {}", path(b).string(),
           block->shape().rows, shape_.cols, array.rows(), array.cols());
    }
    const size_t skip = std::max(whole.done(), first(b)) - first(b);
    const size_t n = array.rows() - skip;
    rows.resize(n * shape_.cols);
    for (size_t i = 0; i < n; ++i) {
      array.read_row(skip + i, std::span(rows).subspan(i * shape_.cols, shape_.cols));
    }
    whole.append({rows.data(), n, shape_.cols});
    for (SkippedImage image : block->skipped()) {
      image.row += first(b);
      if (image.row >= first(b) + skip) whole.skip(std::move(image));
    }
  }
}

void ImageBlocks::remove() const {
  for (const Path& file : files()) remove_file(file);
}

}  // namespace spml
