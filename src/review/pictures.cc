#include "review/pictures.h"

#include <algorithm>

#include "base/fail.h"
#include "base/memory_budget.h"

namespace spml::review {
namespace {

constexpr size_t kMaxFile = size_t{256} << 20;

// Recognised by the first bytes: a file that is not an image is never served, whatever its name.
std::string type_of(std::string_view bytes, const std::string& where) {
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  fail("{}: expected a JPEG or PNG image", where);
}

// Whether a JPEG file is segments up to the compressed data, the size of the image among them, and
// ends as one; whether a PNG file has its header first and ends as one. A file of another kind that
// only begins like an image is none.
bool is_in_order(std::string_view bytes, const std::string& type) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (type == "image/png") {
    constexpr std::string_view kEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);
    return bytes.substr(8, 8) == std::string_view("\0\0\0\rIHDR", 8) && bytes.ends_with(kEnd);
  }
  bool sized = false;
  for (size_t at = 2; at + 4 <= bytes.size() && byte(at) == 0xff;) {
    const unsigned marker = byte(at + 1);
    const size_t length = size_t{256} * byte(at + 2) + byte(at + 3);
    const bool is_size =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (length < 2 || marker < 0xc0 || at + 2 + length > bytes.size()) return false;
    sized = sized || is_size;
    if (marker == 0xda) return sized && bytes.ends_with("\xff\xd9");
    at += 2 + length;
  }
  return false;
}

// Copies nothing that is not an image or exceeds the memory: every connection may hold one.
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
  if (!make_) {
    if (!is_in_order(picture.bytes, picture.type)) fail("{}: damaged image", file.string());
    return picture;
  }
  picture.bytes = make_(picture.bytes, side);
  picture.type = "image/jpeg";
  if (side > 0) keep(key, picture);  // full-size ones may be large
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
