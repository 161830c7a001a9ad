// One sub-folder per class, the images of the class in it (ImageFolder). One label per image is
// what is known: observed labels, not truth.
#include <algorithm>
#include <set>

#include "base/fail.h"
#include "base/folders.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "data/import/rows.h"
#include "formats/lines.h"

namespace spml {
namespace {

bool is_hidden(const Path& path) { return path.filename().string().starts_with('.'); }

std::vector<Path> sorted_folders(const Path& parent) {
  std::vector<Path> folders = list_folder(parent);
  std::erase_if(folders, [](const Path& path) { return is_hidden(path) || !is_folder(path); });
  return folders;
}

// Images of one class, sub-folders included, sorted; counts files that are something else.
std::vector<std::string> list_images(const Path& folder, const Path& root, size_t& others) {
  std::vector<std::string> images;
  for (const Path& file : list_files_below(folder)) {
    if (is_hidden(file)) continue;
    if (!has_image_extension(file)) {
      ++others;
      continue;
    }
    std::string image = file.lexically_relative(root).generic_string();
    if (!is_utf8(image)) fail("{}: expected a file name in UTF-8", file.string());
    check_name(image, folder.string());
    images.push_back(std::move(image));
  }
  std::sort(images.begin(), images.end());
  return images;
}

std::vector<ImportedRow> read_part(const Path& part, const Path& root, ImportedSet& set) {
  std::vector<ImportedRow> rows;
  size_t others = 0;
  for (const Path& folder : sorted_folders(part)) {
    const std::string name = folder.filename().string();
    const auto place = std::lower_bound(set.classes.begin(), set.classes.end(), name);
    if (place == set.classes.end() || *place != name) {
      fail("{}: the folder appeared while the others were read; import again", folder.string());
    }
    const auto label = static_cast<int32_t>(place - set.classes.begin());
    const std::vector<std::string> images = list_images(folder, root, others);
    if (images.empty()) {
      set.warnings.push_back(fmt::format("{}: no jpg or png in this class", folder.string()));
    }
    for (const std::string& image : images) rows.push_back({image, {{label}}});
  }
  if (others > 0) {
    set.warnings.push_back(
        fmt::format("{}: {} files are neither jpg nor png: skipped", part.string(), others));
  }
  return rows;
}

}  // namespace

ImportedSet import_folder(const Path& source) {
  if (!is_folder(source)) {
    fail("{}: expected a folder with one sub-folder per class", source.string());
  }
  const bool divided = is_folder(source / "train");
  const Path train = divided ? source / "train" : source;
  Path test;
  for (const char* name : {"val", "test"}) {  // test wins where there are both
    if (divided && is_folder(source / name)) test = source / name;
  }

  ImportedSet set;
  set.name = folder_name(source);
  set.complete = false;
  set.image_root = source;
  std::set<std::string> names;
  for (const Path& part : {train, test}) {
    if (part.empty()) continue;
    for (const Path& folder : sorted_folders(part)) names.insert(folder.filename().string());
  }
  set.classes.assign(names.begin(), names.end());
  if (set.classes.empty()) {
    fail("{}: expected one sub-folder per class, found none", train.string());
  }
  for (const std::string& name : set.classes) {
    if (!is_utf8(name)) fail("{}: expected names of classes in UTF-8", train.string());
  }
  set.train = read_part(train, source, set);
  if (!test.empty()) set.test = read_part(test, source, set);
  if (set.train.empty()) fail("{}: expected jpg or png images, found none", train.string());
  return set;
}

}  // namespace spml
