#include "review/pictures.h"

#include <algorithm>

#include "base/fail.h"
#include "base/memory_budget.h"

namespace spml::review {
namespace {

constexpr size_t kMaxFile = size_t{256} << 20;

// Told by the first bytes: what is no image is never served, whatever its name.
std::string type_of(std::string_view bytes, const std::string& where) {
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  fail("{}: expected a JPEG or PNG image", where);
}

// Nothing is copied that is no image, or that there is no room for: every connection may hold one.
Picture read_picture(const Path& path) {
  const MappedFile file(path);
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                               file.bytes().size());
  Picture picture{type_of(bytes, path.string()), {}};
  if (bytes.size() > kMaxFile) {
    fail("{}: expected at most {} bytes, found {}", path.string(), kMaxFile, bytes.size());
  }
  MemoryBudget().require(bytes.size(), path.string());
  picture.bytes = bytes;
  return picture;
}

}  // namespace

Pictures::Pictures(const Dataset& data, MakeThumbnail make, size_t cache_bytes)
    : data_(data), make_(std::move(make)), max_bytes_(cache_bytes) {}

std::string Pictures::name(size_t row) const {
  return any() ? data_.train_file.images.text(row) : std::to_string(row);
}

std::string Pictures::caption(size_t row) const { return any() ? name(row) : "row " + name(row); }

Picture Pictures::get(size_t row, int side) {
  if (!any()) fail("{}: the data has no images", data_.folder.string());
  if (row >= data_.train_file.images.rows()) {
    fail("expected a row below {}, found {}", data_.train_file.images.rows(), row);
  }
  const Key key{row, make_ ? side : 0};
  if (auto picture = from_cache(key)) return *std::move(picture);
  const auto index = static_cast<int32_t>(row);
  const Path file = image_files(data_, data_.train_file, std::span(&index, 1)).front();
  Picture picture = read_picture(file);
  if (key.second == 0) return picture;  // not kept: as large as it may be
  picture.bytes = make_(picture.bytes, side);
  picture.type = "image/jpeg";
  keep(key, picture);
  return picture;
}

std::optional<Picture> Pictures::from_cache(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = cache_.find(key);
  if (found == cache_.end()) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, found->second.place);
  return found->second.picture;
}

void Pictures::keep(const Key& key, const Picture& picture) {
  const std::lock_guard lock(mutex_);
  if (picture.bytes.size() > max_bytes_ || cache_.contains(key)) return;
  recent_.push_front(key);
  cache_[key] = {picture, recent_.begin()};
  bytes_ += picture.bytes.size();
  while (bytes_ > max_bytes_) {
    const auto oldest = cache_.find(recent_.back());
    bytes_ -= oldest->second.picture.bytes.size();
    cache_.erase(oldest);
    recent_.pop_back();
  }
}

size_t Pictures::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace spml::review
