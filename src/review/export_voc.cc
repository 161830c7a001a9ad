// ImageSets/Main lists as VOC has them: 1 present, -1 absent, 0 unsure. An image whose label for a
// class nobody knows is not in the list of that class; train.txt lists all of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fail.h"
#include "review/export_formats.h"

namespace spml::review {
namespace {

// Class and image names come from the data; as part of a file name they may not lead elsewhere.
std::string file_word(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c == '/' || c == '\\' || c < 0x20 || c == 0x7f; }, '_');
  if (text.empty() || text.front() == '.') text.insert(text.begin(), '_');
  return text;
}

// 2008_000001 of JPEGImages/2008_000001.jpg; names of rows have no spaces in a list.
std::string image_id(std::string name) {
  if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.erase(dot);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

void write_voc(const Labelled& labelled, const ExportOptions& options) {
  const Path folder = options.out / "ImageSets" / "Main";
  make_folder(folder);
  const size_t N = labelled.labels.rows(), L = labelled.classes.size();
  std::string all;
  std::vector<std::string> lists(L), ids;
  for (size_t i = 0; i < N; ++i) {
    ids.push_back(image_id(labelled.name(i)));
    all += ids.back() + "\n";
  }
  const auto unsure = labelled.unsure();
  std::vector<int8_t> labels(L);
  for (size_t i = 0; i < N; ++i) {
    labelled.labels.read_row(i, labels);
    for (size_t j = 0; j < L; ++j) {
      const bool open =
          std::binary_search(unsure[i].begin(), unsure[i].end(), static_cast<int32_t>(j));
      if (labels[j] != 0 || open) lists[j] += fmt::format("{} {:2}\n", ids[i], labels[j]);
    }
  }
  std::set<std::string> used;
  for (size_t j = 0; j < L; ++j) {
    const std::string word = file_word(labelled.classes[j]);
    if (!used.insert(word).second) {
      fail("classes '{}' and another would have the same list {}_train.txt", labelled.classes[j],
           word);
    }
    write_file(folder / (word + "_train.txt"), lists[j]);
  }
  write_file(folder / "train.txt", all);
}

}  // namespace spml::review
