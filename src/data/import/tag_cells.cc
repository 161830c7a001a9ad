#include "data/import/tag_cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "formats/lines.h"

namespace spml {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  return parse_number(text, value);
}

const TagSeparators kComma = {","};

}  // namespace

void for_each_tag(std::string_view cell, const TagSeparators& separators,
                  const std::function<void(std::string_view)>& visit) {
  while (true) {
    size_t end = cell.size(), length = 0;
    for (const std::string& separator : separators) {
      const size_t found = cell.find(separator);
      if (found >= end) continue;
      end = found;
      length = separator.size();
    }
    const std::string_view tag = trim(cell.substr(0, end));
    if (!tag.empty()) visit(tag);
    if (length == 0) return;
    cell.remove_prefix(end + length);
  }
}

void TagCells::add(std::string_view cell) {
  cell = trim(cell);
  if (cell.empty() || whole_.contains(std::string(cell))) return;
  const auto count = [&](Divided& divided, char separator) {
    if (cell.find(separator) == std::string_view::npos) return;
    if (divided.cells++ == 0) divided.first = cell.substr(0, 100);
  };
  count(semicolons_, ';');
  count(bars_, '|');
  count(commas_, ',');
  remember(cell);
}

// Enough of the cells to judge commas by, however long the table is.
void TagCells::remember(std::string_view cell) {
  constexpr size_t kMaxCells = 100'000, kMaxBytes = size_t{32} << 20;
  if (seen_.size() == kMaxCells || bytes_ + cell.size() > kMaxBytes) return;
  if (!seen_.emplace(cell).second) return;
  bytes_ += cell.size();
  if (cell.find(',') != std::string_view::npos) with_commas_.emplace_back(cell);
  std::unordered_set<std::string> parts;
  for_each_tag(cell, kComma, [&](std::string_view part) { parts.emplace(part); });
  for (const std::string& part : parts) ++cells_of_[part];
}

bool TagCells::commas_divide() const {
  size_t divided = 0, whole = 0;
  for (const std::string& cell : with_commas_) {
    bool shared = false, numbers = true;
    for_each_tag(cell, kComma, [&](std::string_view part) {
      shared |= cells_of_.at(std::string(part)) > 1;
      numbers &= is_number(part);
    });
    if (!numbers) ++(shared ? divided : whole);
  }
  return divided > 0 && divided >= whole;
}

TagSeparators TagCells::separators() const {
  TagSeparators found;
  if (semicolons_.cells > 0) found.emplace_back(";");
  if (bars_.cells > 0) found.emplace_back("|");
  if (commas_divide()) found.emplace_back(",");
  return found;
}

std::string TagCells::notice() const {
  const TagSeparators found = separators();
  if (found.empty()) {
    if (commas_.cells == 0) return "";
    return fmt::format(
        "{} cells hold commas and are one tag each, as '{}'; --tag-separator , divides them",
        commas_.cells, commas_.first);
  }
  const Divided* first = found[0] == ";" ? &semicolons_ : found[0] == "|" ? &bars_ : &commas_;
  return fmt::format(
      "cells that hold several tags are divided at {}, as '{}'; --tag-separator none keeps them "
      "whole",
      fmt::format("'{}'", fmt::join(found, "' and '")), first->first);
}

}  // namespace spml
