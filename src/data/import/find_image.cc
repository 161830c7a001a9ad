#include "data/import/find_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/memory_budget.h"
#include "base/unicode.h"
#include "data/import/image_extension.h"
#include "formats/lines.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSeveral = std::numeric_limits<size_t>::max();

std::string key_of(std::string_view name) {
  std::string key = folded(trim(name));
  std::ranges::replace(key, '\\', '/');
  return key;
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('/') + 1); }

// Without the extension of an image; the whole key when it has another, such as "v1.2".
std::string_view stem_of(std::string_view key) {
  if (!has_image_extension(Path(key))) return key;
  return key.substr(0, key.rfind('.'));
}

bool is_jpeg(std::string_view key) { return key.ends_with(".jpg") || key.ends_with(".jpeg"); }

}  // namespace

std::string image_key(std::string_view name) { return std::string(stem_of(key_of(name))); }

ImageFinder::ImageFinder(const Path& root) {
  MemoryMeter memory(fmt::format("{}: the names of its images", root.string()));
  std::error_code error;
  for (fs::recursive_directory_iterator
           entry(root, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!has_image_extension(entry->path()) || !entry->is_regular_file(ignored)) continue;
    std::string image = entry->path().lexically_relative(root).generic_string();
    if (!is_utf8(image)) continue;
    constexpr uint64_t kEntry = 384;  // of the four indexes, without text
    memory.add(kEntry + 5 * image.size());
    images_.push_back(std::move(image));
    const std::string key = key_of(images_.back());
    add(paths_, key);
    add(stems_, std::string(stem_of(key)));
    add(names_, std::string(last_part(key)));
    add(name_stems_, std::string(stem_of(last_part(key))));
  }
}

void ImageFinder::add(Index& index, std::string key) {
  const auto [place, is_new] = index.emplace(std::move(key), images_.size() - 1);
  if (!is_new) place->second = kSeveral;
}

std::optional<std::string> ImageFinder::look_up(const Index& index, const std::string& key) const {
  const auto found = index.find(key);
  if (found == index.end() || found->second == kSeveral) return {};
  return images_[found->second];
}

std::optional<std::string> ImageFinder::find(std::string_view name) const {
  const std::string key = key_of(name);
  // photo.jpg is not photo.png; but .jpeg is .jpg, and no extension is any.
  const auto same_kind = [&](const std::optional<std::string>& image) {
    return image && (!has_image_extension(Path(key)) || (is_jpeg(key) && is_jpeg(key_of(*image))));
  };
  for (std::string_view rest = key; !rest.empty();) {
    if (auto image = look_up(paths_, std::string(rest))) return image;
    if (auto image = look_up(stems_, std::string(stem_of(rest))); same_kind(image)) return image;
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  const std::string_view last = last_part(key);
  if (auto image = look_up(names_, std::string(last))) return image;
  if (auto image = look_up(name_stems_, std::string(stem_of(last))); same_kind(image)) return image;
  return {};
}

}  // namespace spml
