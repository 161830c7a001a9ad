#include "data/import/images.h"

#include <fmt/format.h>

#include "base/fail.h"
#include "base/folders.h"

namespace spml {

ImageCheck::ImageCheck(const ImageOptions& options, const Path& usual)
    : root_(options.root.empty() ? usual : options.root), allow_missing_(options.allow_missing) {
  have_root_ = is_folder(root_);
  if (!have_root_ && !options.root.empty()) {
    fail("{}: expected the folder of the images", root_.string());
  }
}

void check_name(std::string_view image, std::string_view where) {
  constexpr size_t kMaxBytes = 1024;
  if (image.size() > kMaxBytes) {
    fail("{}: expected the name of an image in at most {} bytes, found {}", where, kMaxBytes,
         image.size());
  }
  if (!stays_inside(image)) {
    fail("{}: expected an image below the folder of the images, found '{}'; name it with --images",
         where, image);
  }
}

std::string ImageCheck::below_root(const std::string& image) const {
  const Path path(image);
  if (!path.is_absolute()) return image;
  const Path relative = path.lexically_relative(absolute_path(root_));
  return relative.empty() || *relative.begin() == ".." ? image : relative.generic_string();
}

bool ImageCheck::is_there(const std::string& image) const {
  std::error_code ignored;
  return have_root_ && std::filesystem::exists(root_ / image, ignored);
}

bool ImageCheck::exists(const std::string& image) const { return !have_root_ || is_there(image); }

std::string ImageCheck::resolve(const std::string& listed, std::string_view where) {
  std::string image = below_root(listed);
  if (!have_root_) return image;
  if (!stays_inside(image) || !is_there(image)) {
    if (!finder_) finder_.emplace(root_);
    const auto found = finder_->find(image);
    if (!found) return image;
    if (renamed_++ == 0) first_renamed_ = fmt::format("'{}' as '{}'", listed, *found);
    image = *found;
  }
  const auto [place, is_new] = listed_.emplace(image, listed);
  if (!is_new && image_key(place->second) != image_key(listed)) {
    fail(
        "{}: '{}' and '{}' both lead to the image '{}'; name the folder that the table begins at "
        "with --images",
        where, place->second, listed, image);
  }
  return image;
}

void ImageCheck::require(const std::string& image, std::string_view where) {
  constexpr size_t kShown = 10;
  ++checked_;
  check_name(image, where);
  if (exists(image)) return;
  if (missing_++ == 0) first_place_ = where;
  if (first_missing_.size() < kShown) first_missing_.push_back(image);
}

std::string ImageCheck::describe_missing() const {
  const size_t more = missing_ - first_missing_.size();
  return fmt::format("{} of {} images are not in {}: '{}'{}", missing_, checked_, root_.string(),
                     fmt::join(first_missing_, "', '"),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

void ImageCheck::finish(ImportedSet& set) const {
  set.image_root = root_;
  if (!have_root_) {
    set.warnings.push_back(fmt::format(
        "{}: no such folder, so images were not looked for; labels only", root_.string()));
  }
  if (renamed_ > 0) {
    set.warnings.push_back(fmt::format("{} images were found under other names, the first: {}",
                                       renamed_, first_renamed_));
  }
  if (missing_ == 0) return;
  if (!allow_missing_) {
    fail("{}: {}; put them there, name their folder with --images, or pass --allow-missing",
         first_place_, describe_missing());
  }
  set.warnings.push_back(describe_missing());
}

}  // namespace spml
