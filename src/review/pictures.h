// The images of the rows at the size they are shown in, made on demand.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "data/dataset.h"

namespace spml::review {

// A JPEG of at most `side` pixels in width and height; for 0, of the full size. Error for a file
// that is not an image.
using MakeThumbnail = std::function<std::string(const std::string& bytes, int side)>;

struct Picture {
  std::string type;  // image/jpeg or image/png
  std::string bytes;
};

// Safe to use from several threads.
class Pictures {
 public:
  // Without a maker, files are served as they are, if they look intact without being decoded.
  // `data` must outlive this object.
  Pictures(const Dataset& data, MakeThumbnail make, size_t cache_bytes = size_t{64} << 20);

  bool any() const { return !data_.train_file.images.empty(); }
  std::string name(size_t row) const;     // of the image, or "12", as in other verbs' files
  std::string caption(size_t row) const;  // for people: "row 12"

  // The image of a row, at most `side` pixels wide and high, or in full for side 0; Error when it
  // is missing or broken.
  Picture get(size_t row, int side);

  size_t cached_bytes() const;

 private:
  using Key = std::pair<size_t, int>;
  struct Cached {
    Picture picture;
    std::list<Key>::iterator place;
  };
  std::optional<Picture> from_cache(const Key& key);
  void keep(const Key& key, const Picture& picture);

  const Dataset& data_;
  MakeThumbnail make_;
  size_t max_bytes_;
  mutable std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Key> recent_;  // the latest first
  std::map<Key, Cached> cache_;
};

}  // namespace spml::review
