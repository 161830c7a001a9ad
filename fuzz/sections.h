// Several files in one fuzz input, so that a mutation can break how they fit together:
//   @@NAME\n followed by the file's bytes, up to the next line that begins with @@.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace spml {

struct Section {
  std::string title;  // what follows @@ on its line
  std::string bytes;
};

std::vector<Section> split_sections(std::span<const std::byte> bytes);

// A folder in memory (/dev/shm) or else on disk, the same for all inputs of a process and removed
// at its end.
class FuzzFolder {
 public:
  FuzzFolder();
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  ~FuzzFolder();

  const Path& path() const { return path_; }
  void clear();
  // The sections whose titles are among `names` (relative paths); others are passed over.
  void fill(const std::vector<Section>& sections, const std::vector<std::string>& names);
  void put(const std::string& name, std::string_view bytes);

 private:
  Path path_;
};

// A safetensors file that is sound in itself, whatever the sections say: mutations then reach what
// lies behind the parser. Titles: "NAME DTYPE D1,D2" for a tensor, whose bytes are cut or filled
// with zeros to its size (at most 1 MB), "= KEY" for metadata.
std::string assemble_safetensors(const std::vector<Section>& sections);

}  // namespace spml
