// Looking listed images up on disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/import/find_image.h"
#include "data/import/image_extension.h"
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
  // The name below the root of the image that a table calls `listed`, which need not be its own
  // (see find_image.h); as it is when there is none. Error, which begins with `where`, when another
  // name has led to the same image and the two are not the same but for spelling.
  std::string resolve(const std::string& listed, std::string_view where);
  // Notes an image that is missing; Error, which begins with `where`, for a name that leads out of
  // the root.
  void require(const std::string& image, std::string_view where);
  // Error when images are missing and may not be. Adds what was found to the warnings of the set.
  void finish(ImportedSet& set) const;

 private:
  std::string describe_missing() const;

  Path root_;
  bool have_root_ = false;
  bool allow_missing_ = false;
  std::optional<ImageFinder> finder_;                    // made when a first name needs it
  std::unordered_map<std::string, std::string> listed_;  // an image, what a table calls it
  size_t checked_ = 0, missing_ = 0, renamed_ = 0;
  std::string first_place_, first_renamed_;
  std::vector<std::string> first_missing_;
};

// Error that begins with `where` for a name too long to be one, since names are stored at the
// length of the longest, and for one that leads out of the folder of the images.
void check_name(std::string_view image, std::string_view where);
}  // namespace spml
