// CUB-200-2011: 312 binary attributes per image. is_present is the label; certainty is ignored.
// Rows in the order of images.txt, divided by train_test_split.txt.
#include <algorithm>
#include <unordered_map>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "data/import/rows.h"
#include "formats/lines.h"

namespace spml {
namespace {

using IdIndex = std::unordered_map<uint32_t, size_t>;  // id in the files -> position

// "ID TEXT" per line, as images.txt, attributes.txt and train_test_split.txt have it.
struct IdTable {
  Path path;
  IdIndex index;
  std::vector<std::string> texts;
  std::vector<size_t> lines;
  std::string place(size_t i) const { return fmt::format("{}:{}", path.string(), lines[i]); }
};

IdTable read_id_table(const Path& path, size_t most = SIZE_MAX) {
  constexpr uint64_t kEntryBytes = 256;  // of vectors that grow and a hash map
  MemoryMeter memory(fmt::format("{}: its lines", path.string()));
  IdTable table;
  table.path = path;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (trim(line).empty()) continue;
    uint32_t id = 0;
    const std::string_view number = take_field(line);
    const std::string_view text = trim(line);
    if (!parse_number(number, id) || text.empty()) {
      fail("{}: expected an id and a value, found '{} {}'", reader.where(), number, text);
    }
    if (table.texts.size() == most) fail("{}: expected at most {} lines", reader.where(), most);
    memory.add(kEntryBytes + text.size());
    if (!table.index.emplace(id, table.texts.size()).second) {
      fail("{}: id {} is listed twice", reader.where(), id);
    }
    table.texts.emplace_back(text);
    table.lines.push_back(reader.number());
  }
  if (table.texts.empty()) fail("{}: expected lines, found an empty file", path.string());
  return table;
}

// Fields of image_attribute_labels.txt: image, attribute, is_present, then anything (certainty,
// worker, time; some lines of the real file have a column too many).
struct Mark {
  uint32_t image = 0, attribute = 0, present = 0;
};

bool parse_mark(std::string_view line, Mark& mark) {
  return parse_number(take_field(line), mark.image) &&
         parse_number(take_field(line), mark.attribute) &&
         parse_number(take_field(line), mark.present) && mark.present <= 1;
}

// A file of millions of lines: ids are looked up in flat tables.
std::vector<int32_t> flat(const IdTable& ids) {
  uint32_t largest = 0;
  for (const auto& [id, position] : ids.index) largest = std::max(largest, id);
  if (largest > 10 * ids.index.size() + 1000) {
    fail("{}: expected ids counted from 1, found {}", ids.path.string(), largest);
  }
  std::vector<int32_t> table(size_t{largest} + 1, -1);
  for (const auto& [id, position] : ids.index) table[id] = static_cast<int32_t>(position);
  return table;
}

int32_t position_of(const std::vector<int32_t>& table, uint32_t id) {
  return id < table.size() ? table[id] : -1;
}

// Every pair of image and attribute is remembered, and the file is to list all of them, at six
// bytes or more: with far fewer bytes than pairs it is not the file it should be. Bytes may be a
// hole, so memory counts too.
void check_density(const Path& path, size_t rows, size_t labels) {
  constexpr uint64_t kSmall = uint64_t{64} << 20;
  const uint64_t pairs = saturating_product(rows, labels), bytes = MappedFile(path).bytes().size();
  if (pairs > kSmall && pairs / 4 > bytes) {
    fail("{}: expected a line for each of {} images x {} attributes, found {} in all",
         path.string(), rows, labels, size_text(bytes));
  }
  MemoryBudget().require(pairs, fmt::format("{}: a mark for each of {} images x {} attributes",
                                            path.string(), rows, labels));
}

void read_marks(const Path& path, const IdTable& images, const IdTable& attributes,
                std::vector<ImportedRow>& rows, ImportedSet& set) {
  const size_t labels = attributes.texts.size();
  const std::vector<int32_t> image_at = flat(images), label_at = flat(attributes);
  check_density(path, rows.size(), labels);
  std::vector<int8_t> seen(rows.size() * labels, -1);
  size_t pairs = 0, repeated = 0;
  std::string first_repeated;
  MemoryMeter memory(fmt::format("{}: its labels", path.string()));
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    Mark mark;
    if (!parse_mark(line, mark)) {
      if (trim(line).empty()) continue;
      fail("{}: expected image, attribute and 0 or 1, found '{}'", reader.where(),
           line.substr(0, 60));
    }
    const int32_t row = position_of(image_at, mark.image);
    const int32_t label = position_of(label_at, mark.attribute);
    if (row < 0) fail("{}: image {} is not in images.txt", reader.where(), mark.image);
    if (label < 0)
      fail("{}: attribute {} is not in attributes.txt", reader.where(), mark.attribute);
    int8_t& before = seen[static_cast<size_t>(row) * labels + static_cast<size_t>(label)];
    if (before >= 0) {
      if (before != static_cast<int8_t>(mark.present)) {
        fail("{}: image {} and attribute {} are listed twice, with 0 and 1", reader.where(),
             mark.image, mark.attribute);
      }
      if (repeated++ == 0) first_repeated = reader.where();
      continue;
    }
    before = static_cast<int8_t>(mark.present);
    ++pairs;
    if (mark.present == 0) continue;
    memory.add(kLabelBytes);
    // Each pair is here once. Keeping a row of 65,536 in order at every step would take its square.
    rows[static_cast<size_t>(row)].positives.push_back({label});
  }
  for (ImportedRow& row : rows) std::ranges::sort(row.positives, {}, &ImportedLabel::label);
  if (pairs == 0) fail("{}: expected lines, found an empty file", path.string());
  if (repeated > 0) {
    set.warnings.push_back(
        fmt::format("{} lines repeat an earlier one; the first: {}", repeated, first_repeated));
  }
  if (pairs < seen.size()) {
    set.warnings.push_back(
        fmt::format("{}: expected {} lines ({} images x {} attributes), found "
                    "{}; the others count as absent",
                    path.string(), seen.size(), rows.size(), labels, pairs));
  }
}

}  // namespace

ImportedSet import_cub(const Path& source, const ImageOptions& options) {
  const Path tree = find_tree(source, {"CUB_200_2011", "CUB_200_2011/CUB_200_2011"}, "images.txt",
                              "the CUB_200_2011 folder");
  const IdTable images = read_id_table(tree / "images.txt");
  const IdTable split = read_id_table(tree / "train_test_split.txt");
  // The archive has attributes.txt beside the folder; many copies have it inside.
  const Path inside = tree / "attributes" / "attributes.txt";
  const IdTable attributes =
      read_id_table(path_exists(inside) ? inside : tree / ".." / "attributes.txt", kMaxClasses);

  ImportedSet set;
  set.name = "cub";
  set.published = PublishedCounts{5994, 5794, 312};
  set.classes = attributes.texts;
  ImageCheck check(options, tree / "images");
  std::vector<ImportedRow> rows(images.texts.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].image = images.texts[i];
    check.require(rows[i].image, images.place(i));
  }
  check.finish(set);
  read_marks(tree / "attributes" / "image_attribute_labels.txt", images, attributes, rows, set);

  std::vector<int> is_train(rows.size(), -1);
  for (const auto& [id, position] : split.index) {
    const auto image = images.index.find(id);
    const std::string& value = split.texts[position];
    if (image == images.index.end()) {
      fail("{}: image {} is not in images.txt", split.place(position), id);
    }
    if (value != "0" && value != "1") {
      fail("{}: expected 1 (training) or 0 (test), found '{}'", split.place(position), value);
    }
    is_train[image->second] = value == "1";
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (is_train[i] < 0) fail("{}: the image is not in train_test_split.txt", images.place(i));
    (is_train[i] ? set.train : set.test).push_back(std::move(rows[i]));
  }
  return set;
}

}  // namespace spml
