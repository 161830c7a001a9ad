// NUS-WIDE: the original lists and 81 concept files, merged and divided at random as in the paper;
// or the authors' formatted files, which are taken as they are. Rows without a positive are kept.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "base/numpy_random.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "data/import/rows.h"
#include "formats/lines.h"
#include "formats/npy.h"

namespace spml {
namespace {

constexpr uint64_t kNameBytes = 128;  // of an image, in the set of those that were seen
constexpr PublishedCounts kPublished{150000, 60260, 81};
const Path kLabels = Path("Groundtruth") / "TrainTestLabels";

Path usual_images(const Path& tree) {
  for (const char* name : {"Flickr", "images", "Images"}) {
    if (is_folder(tree / name)) return tree / name;
  }
  return tree / "Flickr";
}

std::vector<std::string> list_concepts(const Path& labels) {
  std::vector<std::string> concepts;
  constexpr std::string_view kBegin = "Labels_", kEnd = "_Train.txt";
  for (const Path& entry : list_folder(labels)) {
    const std::string name = entry.filename().string();
    if (name.starts_with(kBegin) && name.ends_with(kEnd)) {
      if (concepts.size() == kMaxClasses) {
        fail("{}: expected at most {} concepts", labels.string(), kMaxClasses);
      }
      concepts.push_back(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
    }
  }
  std::sort(concepts.begin(), concepts.end());
  if (concepts.empty()) {
    fail("{}: expected files such as Labels_airport_Train.txt, found none", labels.string());
  }
  return concepts;
}

// Lines such as "actor\0001_2124494179.jpg", with the backslashes of the distribution.
std::vector<ImportedRow> read_list(const Path& path, MemoryMeter& memory) {
  std::vector<ImportedRow> rows;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    std::string image(trim(line));
    std::replace(image.begin(), image.end(), '\\', '/');
    if (image.empty()) fail("{}: expected the name of an image, found nothing", reader.where());
    check_name(image, reader.where());
    memory.add(kRowBytes + kNameBytes + 2 * image.size());
    rows.push_back({std::move(image), {}});
  }
  if (rows.empty()) fail("{}: expected one image per line, found an empty file", path.string());
  return rows;
}

// One 0 or 1 per image of the list, in its order.
void read_concept(const Path& path, int32_t label, std::vector<ImportedRow>& rows,
                  MemoryMeter& memory) {
  LineReader reader(path);
  size_t count = 0;
  for (std::string_view line; reader.next(line); ++count) {
    const std::string_view mark = trim(line);
    if (mark != "0" && mark != "1") fail("{}: expected 0 or 1, found '{}'", reader.where(), mark);
    if (count == rows.size()) {
      fail("{}: expected {} lines, one per image of the list, found more", reader.where(),
           rows.size());
    }
    if (mark == "0") continue;
    memory.add(kLabelBytes);
    rows[count].positives.push_back({label});  // concepts come in order
  }
  if (count != rows.size()) {
    fail("{}: expected {} lines, one per image of the list, found {}", path.string(), rows.size(),
         count);
  }
}

std::vector<ImportedRow> read_official_part(const Path& tree, const std::string& part,
                                            const std::vector<std::string>& concepts,
                                            MemoryMeter& memory) {
  std::vector<ImportedRow> rows = read_list(tree / "ImageList" / (part + "Imagelist.txt"), memory);
  for (size_t label = 0; label < concepts.size(); ++label) {
    read_concept(tree / kLabels / fmt::format("Labels_{}_{}.txt", concepts[label], part),
                 static_cast<int32_t>(label), rows, memory);
  }
  return rows;
}

// Leaves out images that are not on disk and repetitions of one already listed.
std::vector<ImportedRow> keep_present(std::vector<ImportedRow> rows, const ImageCheck& images,
                                      bool allow_missing, ImportedSet& set) {
  std::vector<ImportedRow> kept;
  std::unordered_set<std::string> seen;
  size_t missing = 0, repeated = 0;
  for (ImportedRow& row : rows) {
    if (!allow_missing && !images.exists(row.image)) {
      ++missing;
    } else if (!seen.insert(row.image).second) {
      ++repeated;
    } else {
      kept.push_back(std::move(row));
    }
  }
  if (missing > 0) {
    set.warnings.push_back(fmt::format("{} of {} listed images are not in {}: skipped", missing,
                                       rows.size(), images.root().string()));
  }
  if (repeated > 0) {
    set.warnings.push_back(fmt::format("{} images are listed twice: the first is kept", repeated));
  }
  if (kept.empty()) {
    fail("{}: none of the {} listed images is here; name their folder with --images",
         images.root().string(), rows.size());
  }
  return kept;
}

ImportedSet import_original(const Path& tree, const NusOptions& options) {
  const ImageCheck images(options.images, usual_images(tree));
  ImportedSet set;
  set.classes = list_concepts(tree / kLabels);
  // Many concepts may be links to one file: no size on disk bounds the labels.
  MemoryMeter memory(fmt::format("{}: its images and labels", tree.string()));
  std::vector<ImportedRow> rows = read_official_part(tree, "Train", set.classes, memory);
  std::vector<ImportedRow> rest = read_official_part(tree, "Test", set.classes, memory);
  std::move(rest.begin(), rest.end(), std::back_inserter(rows));
  rows = keep_present(std::move(rows), images, options.images.allow_missing, set);

  // The paper had 210,260 of the 269,648 images and took 150,000 for training.
  const double share = static_cast<double>(kPublished.train_rows) /
                       static_cast<double>(kPublished.train_rows + kPublished.test_rows);
  const auto scaled = static_cast<size_t>(std::lround(share * static_cast<double>(rows.size())));
  const size_t wanted =
      options.train_rows == 0 ? std::min(scaled, kPublished.train_rows) : options.train_rows;
  if (wanted > rows.size()) {
    fail_usage("expected --train-rows of at most {}, the number of images found, not {}",
               rows.size(), wanted);
  }
  const auto order = NumpyRandom(options.seed).permutation(rows.size());
  std::vector<bool> is_train(rows.size());
  for (size_t i = 0; i < wanted; ++i) is_train[static_cast<size_t>(order[i])] = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    (is_train[i] ? set.train : set.test).push_back(std::move(rows[i]));
  }
  images.finish(set);
  return set;
}

std::vector<ImportedRow> read_formatted_part(const Path& folder, const std::string& part,
                                             size_t& labels, ImageCheck& images,
                                             MemoryMeter& memory) {
  const Path label_path = folder / fmt::format("formatted_{}_labels.npy", part);
  const Path image_path = folder / fmt::format("formatted_{}_images.npy", part);
  const NpyArray marks(label_path), names(image_path);
  if (names.rows() != marks.rows()) {
    fail("{}: expected {} names, one per row of {}, found {}", image_path.string(), marks.rows(),
         label_path.filename().string(), names.rows());
  }
  if (labels != 0 && marks.cols() != labels) {
    fail("{}: expected {} labels as in the training file, found {}", label_path.string(), labels,
         marks.cols());
  }
  labels = marks.cols();
  if (labels > kMaxClasses) {
    fail("{}: expected at most {} labels, found {}", label_path.string(), kMaxClasses, labels);
  }
  std::vector<ImportedRow> rows;
  std::vector<int8_t> row_marks(labels);
  for (size_t row = 0; row < marks.rows(); ++row) {
    std::string image = names.text(row);
    images.require(image, fmt::format("{}: row {}", image_path.string(), row));
    memory.add(kRowBytes + kNameBytes + 2 * image.size());
    rows.push_back({std::move(image), {}});
    marks.read_row(row, row_marks);
    for (size_t label = 0; label < labels; ++label) {
      if (row_marks[label] != 0 && row_marks[label] != 1) {
        fail("{}: expected 0 or 1 at row {}, column {}, found {}", label_path.string(), row, label,
             row_marks[label]);
      }
      if (row_marks[label] == 0) continue;
      memory.add(kLabelBytes);
      rows[row].positives.push_back({static_cast<int32_t>(label)});
    }
  }
  return rows;
}

// Every row stays, so that the authors' feature files still fit: a missing image is a warning.
ImportedSet import_formatted(const Path& folder, const NusOptions& options) {
  ImageOptions image_options = options.images;
  image_options.allow_missing = true;
  ImageCheck images(image_options, usual_images(folder));
  ImportedSet set;
  size_t labels = 0;
  MemoryMeter memory(fmt::format("{}: its images and labels", folder.string()));
  set.train = read_formatted_part(folder, "train", labels, images, memory);
  set.test = read_formatted_part(folder, "val", labels, images, memory);
  for (size_t label = 0; label < labels; ++label) {
    set.classes.push_back(fmt::format("label_{}", label));
  }
  images.finish(set);
  return set;
}

}  // namespace

ImportedSet import_nus(const Path& source, const NusOptions& options) {
  ImportedSet set;
  if (path_exists(source / "formatted_train_labels.npy")) {
    set = import_formatted(source, options);
  } else {
    set = import_original(find_tree(source, {"NUS-WIDE", "NUS_WIDE", "nuswide"}, kLabels,
                                    "a NUS-WIDE folder (or the formatted_*.npy files)"),
                          options);
  }
  set.name = "nuswide";
  set.published = kPublished;
  return set;
}

}  // namespace spml
