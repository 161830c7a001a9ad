// Cells of a table that hold several tags: "cat;person", "cat|person", "cat, person".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace spml {

// How cells are divided into tags: at each of these texts. None: a cell is one tag.
using TagSeparators = std::vector<std::string>;

// Calls `visit` with each tag of the cell, trimmed, none empty.
void for_each_tag(std::string_view cell, const TagSeparators& separators,
                  const std::function<void(std::string_view)>& visit);

// Finds the separators by looking at the cells. A semicolon or a bar divides wherever it stands. A
// comma does where the parts are tags elsewhere, too: "cat, person" beside "cat" and "person, bus",
// not in "crane, a bird", whose parts stand in no other cell.
class TagCells {
 public:
  // `whole` are names that are never divided.
  explicit TagCells(const std::vector<std::string>& whole) : whole_(whole.begin(), whole.end()) {}

  void add(std::string_view cell);
  TagSeparators separators() const;
  // What a user should know, for a message after "FILE: "; "" when no cell is divided.
  std::string notice() const;

 private:
  struct Divided {
    size_t cells = 0;
    std::string first;
  };
  bool commas_divide() const;
  void remember(std::string_view cell);

  std::unordered_set<std::string> whole_;
  Divided semicolons_, bars_, commas_;
  std::unordered_set<std::string> seen_;              // different cells, as many as are looked at
  std::unordered_map<std::string, size_t> cells_of_;  // a part, in how many different cells
  std::vector<std::string> with_commas_;              // different cells
  size_t bytes_ = 0;
};

}  // namespace spml
