// ImageSets/Main lists as VOC has them: 1 present, -1 absent, 0 unsure. An image whose label for a
// class nobody knows is not in the list of that class; train.txt lists all of them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "base/utf8.h"
#include "review/export/export_formats.h"

namespace spml::review {
namespace {

// Names come from the data: '_' for what would end a line, command a terminal or is one of
// `others`.
std::string word_of(std::string_view text, std::u32string_view others) {
  std::string word;
  while (!text.empty()) {
    const std::optional<char32_t> c = take_utf8(text);
    const bool ends_a_line =
        c && (*c < 0x20 || (*c >= 0x7f && *c < 0xa0) || *c == 0x2028 || *c == 0x2029);
    if (!c || ends_a_line || others.find(*c) != others.npos) {
      word += '_';
    } else {
      append_utf8(word, *c);
    }
  }
  return word;
}

// As part of a file name a class may not lead elsewhere.
std::string file_word(const std::string& text) {
  std::string word = word_of(text, U"/\\");
  if (word.empty() || word.front() == '.') word.insert(word.begin(), '_');
  return word;
}

// 2008_000001 of JPEGImages/2008_000001.jpg, one word.
std::string image_id(std::string name) {
  if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.erase(dot);
  return word_of(name, U" ");
}

// NAME of NAME_train.txt for each class.
std::vector<std::string> list_names(const std::vector<std::string>& classes) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const std::string& name : classes) {
    names.push_back(file_word(name));
    if (!used.insert(names.back()).second) {
      fail("classes '{}' and another would have the same list {}_train.txt", name, names.back());
    }
  }
  return names;
}

// Two images of one name would be one to whoever reads the lists. Sorting hashes finds them in 16
// bytes a row; where hashes are equal, the names decide.
void refuse_equal_ids(const Labelled& labelled) {
  struct Hashed {
    size_t hash, row;
  };
  const size_t rows = labelled.labels.rows();
  MemoryBudget().require(saturating_product(rows, sizeof(Hashed)), "comparing the images' names");
  std::vector<Hashed> order(rows);
  for (size_t i = 0; i < rows; ++i) {
    order[i] = {std::hash<std::string>()(image_id(labelled.name(i))), i};
  }
  const auto id = [&](const Hashed& entry) { return image_id(labelled.name(entry.row)); };
  std::sort(order.begin(), order.end(), [&](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : std::pair(id(a), a.row) < std::pair(id(b), b.row);
  });
  for (size_t i = 1; i < rows; ++i) {
    if (order[i - 1].hash != order[i].hash || id(order[i - 1]) != id(order[i])) continue;
    fail(
        "images '{}' and '{}' would both be '{}' in the lists; rename one or choose another format",
        labelled.name(order[i - 1].row), labelled.name(order[i].row), id(order[i]));
  }
}

void write_list(const Labelled& labelled, size_t label, const Path& path) {
  TextFile file(path);
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    int8_t value = 0;
    labelled.labels.read_part(i, label, std::span(&value, 1));
    const Entry entry{static_cast<int32_t>(i), static_cast<int32_t>(label)};
    if (value == 0 && !std::binary_search(labelled.unsure.begin(), labelled.unsure.end(), entry)) {
      continue;
    }
    file.write(fmt::format("{} {:2}\n", image_id(labelled.name(i)), value));
  }
  file.commit();
}

}  // namespace

void write_voc(const Labelled& labelled, const ExportOptions& options) {
  const std::vector<std::string> names = list_names(labelled.classes);
  refuse_equal_ids(labelled);
  const Path folder = options.out / "ImageSets" / "Main";
  make_folder(options.out);
  make_folder_inside(folder.parent_path());
  make_folder_inside(folder);
  for (size_t j = 0; j < names.size(); ++j) {
    write_list(labelled, j, folder / (names[j] + "_train.txt"));
  }
  TextFile all(folder / "train.txt");
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    all.write(image_id(labelled.name(i)) + "\n");
  }
  all.commit();
}

}  // namespace spml::review
