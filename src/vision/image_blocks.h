// The images of a part in blocks that are dealt out to processes: each block is a feature file in
// the making of its own, hidden beside the final one, until all are joined. The blocks do not
// depend on how many processes there are, so others can go on with them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "vision/partial_features.h"

namespace spml {

class ImageBlocks {
 public:
  // `file`, shape and settings are those of the whole, as PartialFeatures takes them; `batch` is
  // how many images go through the network at once.
  ImageBlocks(const Path& file, PartialFeatures::Shape shape, nlohmann::json settings,
              size_t batch);

  // Whether an earlier command has left some.
  bool left_over() const { return !files().empty(); }

  size_t count() const { return (shape_.rows + block_ - 1) / block_; }
  size_t first(size_t block) const { return block * block_; }
  std::unique_ptr<PartialFeatures> open(size_t block) const;

  // Appends all blocks, which must be complete, to the whole.
  void join(PartialFeatures& whole) const;
  void remove() const;

 private:
  Path path(size_t block) const;
  std::vector<Path> files() const;

  Path file_;
  PartialFeatures::Shape shape_;
  nlohmann::json settings_;
  size_t block_;  // images in each, but the last
};

}  // namespace spml
