// Looking listed images up on disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/import/import.h"

namespace spml {

class ImageCheck {
 public:
  // `usual` is where the data set keeps its images; options.root goes before it. A usual folder
  // that is not there means that only labels were downloaded: nothing is checked, with a warning.
  ImageCheck(const ImageOptions& options, const Path& usual);

  const Path& root() const { return root_; }
  // An absolute name below the root, relative to it; any other name as it is.
  std::string below_root(const std::string& image) const;
  bool is_there(const std::string& image) const;  // on disk
  bool exists(const std::string& image) const;    // or there is no folder to look in
  // Error that begins with `where` when the image is missing and may not be.
  void require(const std::string& image, std::string_view where);
  // Adds what was found missing to the warnings of the set.
  void finish(ImportedSet& set) const;

 private:
  Path root_;
  bool have_root_ = false;
  bool allow_missing_ = false;
  size_t missing_ = 0;
  std::string first_missing_;
};

// Error that begins with `where` for a name too long to be one, since names are stored at the
// length of the longest, and for one that leads out of the folder of the images.
void check_name(std::string_view image, std::string_view where);

// jpg, jpeg or png in any case.
bool has_image_extension(const Path& path);

}  // namespace spml
