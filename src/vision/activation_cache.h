// What the layers below the first one that is trained make of each training image, kept on disk as
// float16, for the image and for its mirror image. Entries are written when they are first needed.
// Each carries a checksum of its numbers and of the image file's name, size and time: an entry that
// is missing, cut off by a kill, damaged or of another image is simply not there, and is made
// again. So several runs may share a folder, and one that was killed goes on with what there is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace spml {

class ActivationCache {
 public:
  // folder/name/ holds the entries; `name` tells networks, layers and image sizes apart. numbers:
  // of one entry. Error where the files cannot be made.
  ActivationCache(const Path& folder, std::string_view name, std::vector<Path> images,
                  size_t numbers);
  ActivationCache(const ActivationCache&) = delete;
  ActivationCache& operator=(const ActivationCache&) = delete;
  ~ActivationCache();

  // Whether the entry was there and is whole.
  bool read(size_t row, bool mirrored, std::span<uint16_t> halves) const;
  // Error when the disk is full.
  void write(size_t row, bool mirrored, std::span<const uint16_t> halves);

  // The most that entries of so many images take.
  static uint64_t bytes(size_t images, size_t numbers);

 private:
  uint64_t entry_bytes() const;
  uint32_t checksum(size_t row, std::span<const uint16_t> halves) const;

  Path paths_[2];  // plain, mirrored
  int fds_[2] = {-1, -1};
  std::vector<Path> images_;
  size_t numbers_;
};

// The bytes that can still be written to the disk of `folder`, which need not exist yet.
uint64_t free_disk_space(const Path& folder);

// Removes the entries in a folder, and the folder unless it holds something else.
void remove_activations(const Path& folder);

}  // namespace spml
