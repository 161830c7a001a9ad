#include "data/import/images.h"

#include <algorithm>
#include <cctype>

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

void ImageCheck::require(const std::string& image, std::string_view where) {
  check_name(image, where);
  if (exists(image)) return;
  const std::string what = fmt::format("{}: image '{}' is not in {}", where, image, root_.string());
  if (!allow_missing_) {
    fail("{}; put it there, name the folder with --images, or pass --allow-missing", what);
  }
  if (missing_++ == 0) first_missing_ = what;
}

void ImageCheck::finish(ImportedSet& set) const {
  set.image_root = root_;
  if (!have_root_) {
    set.warnings.push_back(fmt::format(
        "{}: no such folder, so images were not looked for; labels only", root_.string()));
  }
  if (missing_ > 0) {
    set.warnings.push_back(
        fmt::format("{} images are missing; the first: {}", missing_, first_missing_));
  }
}

bool has_image_extension(const Path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

}  // namespace spml
