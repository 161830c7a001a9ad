// A feature file in the making, which survives kill -9: rows go to a hidden .partial file beside
// the final one, and a journal says how many of them are safely on disk and what they were made
// with. The next run with the same settings goes on from there.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "spml/view.h"

namespace spml {

struct SkippedImage {
  size_t row = 0;
  std::string image, reason;
};

class PartialFeatures {
 public:
  struct Shape {
    size_t rows = 0, cols = 0;
    bool half = false;
  };

  // `file` is the final name; Error when it exists and `replace` is false. `settings` decides
  // whether an earlier journal may be continued. Nothing is written before append().
  PartialFeatures(const Path& file, Shape shape, nlohmann::json settings, bool replace);
  PartialFeatures(const PartialFeatures&) = delete;
  PartialFeatures& operator=(const PartialFeatures&) = delete;
  ~PartialFeatures();

  const Shape& shape() const { return shape_; }
  size_t done() const { return done_; }  // rows written, earlier runs included
  // The final file is in place already, put there by an earlier run that was killed later.
  bool placed() const { return placed_; }
  const std::vector<SkippedImage>& skipped() const { return skipped_; }

  void append(View<const float> rows);
  void skip(SkippedImage image) { skipped_.push_back(std::move(image)); }
  void sync();    // makes the rows so far durable, then says so in the journal
  void place();   // gives the finished file its name
  void forget();  // removes the journal; nothing is left to resume

 private:
  bool resume();
  void start();
  size_t row_bytes() const { return shape_.cols * (shape_.half ? 2 : 4); }

  Path file_, partial_, journal_;
  Shape shape_;
  nlohmann::json settings_;
  std::string header_;
  int fd_ = -1;
  size_t done_ = 0;
  bool placed_ = false;
  std::vector<SkippedImage> skipped_;
};

}  // namespace spml
