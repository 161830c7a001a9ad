// Which image a row of features was made from, so that features are found again when rows come,
// go or move: by what the file holds, whatever it is called.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"

namespace spml {

// 128 bits of SHA-256 of the file; all zero for none: no features were made, or of zeros.
using ContentHash = std::array<uint8_t, 16>;

struct ImageIdentity {
  ContentHash name{};                // of the name's text
  ContentHash content{};             // of the file
  uint64_t bytes = 0, modified = 0;  // of the file; when it was changed, in nanoseconds
  bool known() const { return content != ContentHash{}; }
};

// The file beside a feature file that says where its rows come from: N x 48 bytes, .npy.
Path identity_file(const Path& features);
void write_identities(const Path& file, const std::vector<ImageIdentity>& identities);
// Nothing when there is no such file or it is of another shape.
std::optional<std::vector<ImageIdentity>> read_identities(const Path& file);

// What is known of earlier rows, by content and by name.
class IdentityIndex {
 public:
  void add(const std::vector<ImageIdentity>& identities);
  // The row of an earlier image with the same content.
  std::optional<size_t> row_of(const ImageIdentity& identity) const;
  // The earlier identity of an unchanged file of this name: of the same size and time.
  const ImageIdentity* unchanged(const ImageIdentity& identity) const;

 private:
  std::vector<ImageIdentity> identities_;
  std::unordered_map<std::string, size_t> by_content_, by_name_;
};

// Of an image file, without its content; nothing when there is no such file.
std::optional<ImageIdentity> stat_image(const Path& file, std::string_view name);
// Of many: the content of files that have not changed is taken from `earlier`, others are read on
// `threads` threads. Files that are not there stay unknown.
std::vector<ImageIdentity> identify_images(const std::vector<Path>& files,
                                           const std::vector<std::string>& names,
                                           const IdentityIndex& earlier, int threads);

}  // namespace spml
