// PASCAL VOC: ImageSets/Main/CLASS_train.txt and CLASS_val.txt list every image with 1 (present),
// 0 (difficult) or -1 (absent). Only 1 is positive; an image without a positive is dropped.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "data/import/boxes.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "data/import/rows.h"
#include "data/import/voc_xml.h"
#include "formats/lines.h"

namespace spml {
namespace {

const Path kLists = Path("ImageSets") / "Main";
constexpr uint64_t kSeenBytes = 128;              // of an image, in a hash map
constexpr size_t kMaxXmlBytes = size_t{4} << 20;  // some 20 bytes of memory for each

std::vector<std::string> voc_years(const Path& devkit) {
  std::vector<std::string> years;
  if (!is_folder(devkit)) return years;
  for (const Path& entry : list_folder(devkit)) {
    const std::string name = entry.filename().string();
    if (name.starts_with("VOC20") && is_folder(entry / kLists)) years.push_back(name);
  }
  return years;
}

// The folder of one year, from a devkit, the folder that holds it, or the year's folder itself.
Path find_year(const Path& source, int year) {
  if (is_folder(source / kLists)) return source;
  const Path devkit = is_folder(source / "VOCdevkit") ? source / "VOCdevkit" : source;
  const std::vector<std::string> years = voc_years(devkit);
  if (years.empty()) {
    fail("{}: expected a VOCdevkit or its VOC2012 folder, with ImageSets/Main in it",
         source.string());
  }
  const std::string wanted = fmt::format("VOC{}", year == 0 ? 2012 : year);
  if (std::count(years.begin(), years.end(), wanted)) return devkit / wanted;
  if (year == 0 && years.size() == 1) return devkit / years.front();
  fail("{}: found {}, not {}; choose with --year", devkit.string(), fmt::join(years, ", "), wanted);
}

std::vector<std::string> list_classes(const Path& lists) {
  std::vector<std::string> classes;
  constexpr std::string_view kEnd = "_train.txt";
  for (const Path& entry : list_folder(lists)) {
    const std::string name = entry.filename().string();
    if (name.size() > kEnd.size() && name.ends_with(kEnd)) {
      if (classes.size() == kMaxClasses) {
        fail("{}: expected at most {} classes", lists.string(), kMaxClasses);
      }
      classes.push_back(name.substr(0, name.size() - kEnd.size()));
    }
  }
  std::sort(classes.begin(), classes.end());
  if (classes.empty()) {
    fail("{}: expected lists such as aeroplane_train.txt, found none", lists.string());
  }
  return classes;
}

using Rows = std::map<std::string, ImportedRow>;  // by image: sorted

// What was met, and where first.
struct Met {
  size_t count = 0;
  std::string first;

  void note(std::string place) {
    if (count++ == 0) first = std::move(place);
  }
};

// Adds the positives of one class to the rows. `repeated` are lines that say what an earlier one
// has said; `empty` are lists without a line, which a review exports of a class it knows nothing
// of.
void read_list(const Path& path, int32_t label, Rows& rows, ImageCheck& images, Met& repeated,
               Met& empty, MemoryMeter& memory) {
  LineReader reader(path);
  std::unordered_map<std::string, int> seen;
  uint64_t seen_bytes = 0;
  for (std::string_view line; reader.next(line);) {
    const std::string image = std::string(take_field(line)) + ".jpg";
    const std::string_view mark = trim(line);
    if (image == ".jpg") continue;  // a blank line
    int value = 0;
    if (!parse_number(mark, value) || value < -1 || value > 1) {
      fail("{}: expected an image and 1, 0 or -1, found '{}'", reader.where(), mark);
    }
    const uint64_t bytes = kSeenBytes + image.size();
    memory.add(bytes);
    seen_bytes += bytes;
    const auto [place, is_new] = seen.emplace(image, value);
    if (!is_new) {
      if (place->second != value) {
        fail("{}: {} is listed twice, with {} and {}", reader.where(), image, place->second, value);
      }
      repeated.note(fmt::format("{}: {}", reader.where(), image));
    }
    if (value != 1) continue;
    ImportedRow& row = rows[image];
    if (row.image.empty()) {
      row.image = image;
      images.require(image, reader.where());
      memory.add(kRowBytes + 2 * image.size());
    }
    memory.add(kLabelBytes);
    add_positive(row, label);
  }
  if (seen.empty()) empty.note(path.string());
  memory.release(seen_bytes);
}

Path list_file(const Path& lists, const std::string& name, std::string_view phase) {
  return lists / fmt::format("{}_{}.txt", name, phase);
}

bool has_list(const Path& lists, std::string_view phase, const std::vector<std::string>& classes) {
  return std::ranges::any_of(
      classes, [&](const std::string& name) { return path_exists(list_file(lists, name, phase)); });
}

std::vector<ImportedRow> read_part(const Path& lists, std::string_view phase, ImageCheck& images,
                                   ImportedSet& set, MemoryMeter& memory) {
  Rows rows;
  Met repeated, empty;
  for (size_t label = 0; label < set.classes.size(); ++label) {
    read_list(list_file(lists, set.classes[label], phase), static_cast<int32_t>(label), rows,
              images, repeated, empty, memory);
  }
  if (empty.count == set.classes.size()) {
    fail("{}: expected one line per image, found an empty file, as for every class", empty.first);
  }
  if (empty.count > 0) {
    set.warnings.push_back(
        fmt::format("{} lists are empty; the first: {}", empty.count, empty.first));
  }
  if (repeated.count > 0) {
    set.warnings.push_back(
        fmt::format("{} images are listed twice; the first: {}", repeated.count, repeated.first));
  }
  std::vector<ImportedRow> part;
  for (auto& [image, row] : rows) part.push_back(std::move(row));
  return part;
}

// Box weights from Annotations/IMAGE.xml; gives the number of positives for which there is none.
size_t read_boxes(const Path& annotations, std::vector<ImportedRow>& rows,
                  const std::vector<std::string>& classes) {
  size_t without = 0;
  for (ImportedRow& row : rows) {
    const Path path = annotations / Path(row.image).replace_extension(".xml");
    if (path_exists(path)) {
      const VocAnnotation annotation = parse_voc_xml(read_file(path, kMaxXmlBytes), path.string());
      for (const VocObject& object : annotation.objects) {
        const auto found = std::lower_bound(classes.begin(), classes.end(), object.name);
        if (found == classes.end() || *found != object.name) continue;
        ImportedLabel* label = find_positive(row, static_cast<int32_t>(found - classes.begin()));
        if (label) add_box(*label, object.box, annotation.width, annotation.height);
      }
    }
    without += std::count_if(row.positives.begin(), row.positives.end(),
                             [](const ImportedLabel& label) { return label.area == 0; });
  }
  return without;
}

}  // namespace

ImportedSet import_voc(const Path& source, const VocOptions& options) {
  const Path tree = find_year(source, options.year);
  const Path lists = tree / kLists;
  ImageCheck images(options.images, tree / "JPEGImages");
  ImportedSet set;
  // The folder's own name (VOC2012 -> voc12) also when SRC is "." or ends in "/".
  const std::string folder = folder_name(tree);
  const bool is_year = folder.size() == 7 && folder.starts_with("VOC20");
  set.name = is_year ? "voc" + folder.substr(5) : "voc";
  if (set.name == "voc12") set.published = PublishedCounts{5717, 5823, 20};
  set.classes = list_classes(lists);
  // Many lists may be links to one file: no size on disk bounds the labels.
  MemoryMeter memory(fmt::format("{}: its images and labels", lists.string()));
  set.train = read_part(lists, "train", images, set, memory);
  if (has_list(lists, "val", set.classes)) {
    set.test = read_part(lists, "val", images, set, memory);
  } else {  // as a review exports it
    set.warnings.push_back(fmt::format("{}: no lists such as {}_val.txt, so there are no test rows",
                                       lists.string(), set.classes.front()));
  }
  images.finish(set);

  set.has_boxes = is_folder(tree / "Annotations");
  if (set.has_boxes) {
    const size_t without = read_boxes(tree / "Annotations", set.train, set.classes) +
                           read_boxes(tree / "Annotations", set.test, set.classes);
    if (without > 0) {
      set.warnings.push_back(
          fmt::format("{}: {} positive labels have no box; --bias area and "
                      "center draw them last",
                      (tree / "Annotations").string(), without));
    }
  } else {
    set.warnings.push_back(fmt::format("{}: no such folder, so there are no boxes for --bias",
                                       (tree / "Annotations").string()));
  }
  return set;
}

}  // namespace spml
