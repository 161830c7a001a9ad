#include "data/dataset.h"

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "data/folder_update.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

// A matrix of a part: where it comes from and its shape, for the checks that all share.
struct Shape {
  std::string source;
  size_t rows = 0, cols = 0;
};

// The matrices that are there; labels first.
std::vector<Shape> label_shapes(const DataPart& part) {
  std::vector<Shape> shapes;
  for (const LabelMatrix* m : {&part.truth, &part.observed}) {
    if (!m->empty()) shapes.push_back({m->source(), m->rows(), m->cols()});
  }
  return shapes;
}

void check_same(const Shape& a, const Shape& b, size_t Shape::*dimension, std::string_view what) {
  if (a.*dimension != b.*dimension) {
    fail("{}: expected {} {} as in {}, found {}", b.source, a.*dimension, what, a.source,
         b.*dimension);
  }
}

void check_images(const NpyArray& images) {
  if (images.cols() != 1) {
    fail("{}: expected a list of file names, found {} columns", images.path().string(),
         images.cols());
  }
  for (size_t i = 0; i < images.rows(); ++i) {
    if (images.text(i).empty()) {
      fail("{}: row {}: expected a file name, found no text", images.path().string(), i);
    }
  }
}

void check_part(const DataPart& part, const DatasetOptions& options) {
  std::vector<Shape> shapes = label_shapes(part);
  if (shapes.size() == 2) check_same(shapes[0], shapes[1], &Shape::cols, "columns");
  if (!part.images.empty()) shapes.push_back({part.images.path().string(), part.images.rows()});
  if (!part.features.empty()) shapes.push_back({part.features.source(), part.features.rows()});
  for (const Shape& shape : shapes) check_same(shapes[0], shape, &Shape::rows, "rows");

  if (!part.truth.empty()) check_truth(part.truth, options.threads);
  if (!part.observed.empty()) check_observed(part.observed, options.threads);
  if (!part.truth.empty() && !part.observed.empty()) {
    check_agreement(part.truth, part.observed, options.threads);
  }
  if (!part.images.empty()) check_images(part.images);
  if (options.check_features && !part.features.empty()) part.features.check_finite(options.threads);
}

// An array with at least one element; empty when there is no such file.
NpyArray open_array(const Path& path) {
  if (!path_exists(path)) return {};
  NpyArray array(path);
  if (array.rows() == 0 || array.cols() == 0) {
    fail("{}: expected at least one row and one column, found {} x {}", path.string(), array.rows(),
         array.cols());
  }
  if (array.rows() > kMaxRows) {
    fail("{}: expected at most {} rows, found {}", path.string(), kMaxRows, array.rows());
  }
  return array;
}

// `named` is the file that dataset.json names, if it does.
FeatureMatrix open_features(const Path& folder, std::string_view part, const std::string& named,
                            const MemoryBudget& memory) {
  const std::string info = (folder / "dataset.json").string();
  const Path path = named.empty() ? features_file(folder, part)
                                  : path_inside(folder, named, info + ": 'features'");
  NpyArray array = open_array(path);
  if (!array.empty()) return FeatureMatrix(std::move(array), memory);
  if (!named.empty()) fail("{}: no such file; {} names it", path.string(), info);
  return {};
}

DataPart open_part(const Path& folder, std::string_view name, const std::string& features,
                   bool load_features, const MemoryBudget& memory) {
  DataPart part;
  part.truth = open_labels(truth_file(folder, name));
  part.observed = open_labels(observed_file(folder, name));
  part.images = open_array(images_file(folder, name));
  if (load_features) part.features = open_features(folder, name, features, memory);
  return part;
}

Path array_file(const Path& folder, std::string_view part, std::string_view what) {
  return folder / fmt::format("formatted_{}_{}.npy", part, what);
}

}  // namespace

Path truth_file(const Path& folder, std::string_view part) {
  return array_file(folder, part, "labels");
}
Path observed_file(const Path& folder, std::string_view part) {
  return array_file(folder, part, "labels_obs");
}
Path images_file(const Path& folder, std::string_view part) {
  return array_file(folder, part, "images");
}
Path features_file(const Path& folder, std::string_view part) {
  return folder / fmt::format("{}_features_imagenet_resnet50.npy", part);
}
Path box_area_file(const Path& folder, std::string_view part) {
  return folder / fmt::format("formatted_{}_box_area.npy", part);
}
Path box_closeness_file(const Path& folder, std::string_view part) {
  return folder / fmt::format("formatted_{}_box_closeness.npy", part);
}

size_t DataPart::rows() const {
  if (!truth.empty()) return truth.rows();
  if (!observed.empty()) return observed.rows();
  return images.empty() ? features.rows() : images.rows();
}

size_t DataPart::labels() const { return truth.empty() ? observed.cols() : truth.cols(); }

LabelMatrix open_labels(const Path& path) {
  NpyArray array = open_array(path);
  if (array.empty()) return {};
  if (array.cols() > kMaxLabels) {
    fail("{}: expected at most {} labels, found {} columns", path.string(), kMaxLabels,
         array.cols());
  }
  return LabelMatrix(std::move(array));
}

Path image_path(const Path& folder, const std::string& image_root, const std::string& name,
                std::string_view where) {
  return path_inside(folder / image_root, name, where);
}

bool images_are_elsewhere(const Path& folder, const std::string& image_root) {
  const Path root = Path(image_root).lexically_normal();
  return root.is_absolute() || (!root.empty() && *root.begin() == "..") ||
         is_link(folder / image_root);
}

std::string elsewhere_notice(const Path& folder, const std::string& image_root) {
  return fmt::format("images are read from {}, outside {}",
                     (folder / image_root).lexically_normal().string(), folder.string());
}

namespace {

// A path keeps its parts beside its text.
uint64_t bytes_of(const Path& path) {
  const auto parts = static_cast<uint64_t>(std::distance(path.begin(), path.end()));
  return saturating_sum(saturating_product(parts + 1, sizeof(Path) + 16), 2 * path.native().size());
}

// The files of the rows row_of(0), row_of(1), ...
template <class RowOf>
std::vector<Path> list_image_files(const Path& folder, const std::string& image_root,
                                   const NpyArray& names, size_t count, const RowOf& row_of) {
  const std::string source = names.path().string();
  std::vector<Path> files;
  for (size_t i = 0; i < count; ++i) {
    const size_t row = row_of(i);
    files.push_back(
        image_path(folder, image_root, names.text(row), fmt::format("{}: row {}", source, row)));
    if (i > 0) continue;  // they are much alike
    MemoryBudget().require(saturating_product(count, bytes_of(files.front())),
                           fmt::format("{}: the paths of {} images", source, count));
  }
  return files;
}

}  // namespace

std::vector<Path> image_files(const Path& folder, const std::string& image_root,
                              const NpyArray& names, size_t first, size_t count) {
  return list_image_files(folder, image_root, names, count, [&](size_t i) { return first + i; });
}

std::vector<Path> image_files(const Dataset& data, const DataPart& part,
                              std::span<const int32_t> rows) {
  return list_image_files(data.folder, data.image_root, part.images, rows.size(),
                          [&](size_t i) { return static_cast<size_t>(rows[i]); });
}

std::vector<Path> image_files(const Dataset& data, const DataPart& part) {
  return image_files(data.folder, data.image_root, part.images, 0, part.images.rows());
}

void check_dataset(Dataset& data, const DatasetOptions& options) {
  const DataPart& train = data.train_file;
  const DataPart& test = data.test;
  const std::vector<Shape> shapes = label_shapes(train);
  if (shapes.empty()) {
    fail("{}: expected labels in {} or {}, found neither; make a data folder with `spml import`",
         data.folder.empty() ? "data in memory" : data.folder.string(),
         truth_file("", "train").string(), observed_file("", "train").string());
  }
  for (const Shape& shape : label_shapes(test)) {
    check_same(shapes[0], shape, &Shape::cols, "columns");
  }
  if (!train.features.empty() && !test.features.empty()) {
    check_same({train.features.source(), 0, train.features.cols()},
               {test.features.source(), 0, test.features.cols()}, &Shape::cols, "columns");
  }
  const size_t labels = train.labels();
  if (labels > kMaxLabels) {
    fail("{}: expected at most {} labels, found {} columns", shapes[0].source, kMaxLabels, labels);
  }
  if (data.classes.empty()) {
    for (size_t j = 0; j < labels; ++j) data.classes.push_back(fmt::format("label_{}", j));
  }
  const std::string info =
      data.folder.empty() ? "data in memory" : (data.folder / "dataset.json").string();
  if (data.classes.size() != labels) {
    fail("{}: expected {} class names, one for each column of {}, found {}", info, labels,
         shapes[0].source, data.classes.size());
  }
  if (data.expected_positives && *data.expected_positives > static_cast<double>(labels)) {
    fail("{}: expected 'expected_positives' to be at most {} labels, found {}", info, labels,
         *data.expected_positives);
  }
  check_part(train, options);
  check_part(test, options);
}

Dataset open_dataset(const Path& folder, const DatasetOptions& options) {
  if (!is_folder(folder)) {
    fail("{}: expected a data folder, found {}", folder.string(),
         path_exists(folder) ? "a file" : "nothing of that name");
  }
  refuse_unfinished(folder);
  Dataset data;
  data.folder = folder;
  DatasetInfo info;
  if (const Path path = folder / "dataset.json"; path_exists(path)) {
    info = parse_dataset_json(read_file(path, kMaxDatasetJson), path.string());
  }
  std::error_code ignored;  // a name is only for people
  data.name =
      !info.name.empty() ? info.name : fs::weakly_canonical(folder, ignored).filename().string();
  data.classes = std::move(info.classes);
  data.expected_positives = info.expected_positives;
  data.image_root = info.image_root;
  data.extraction = info.extraction;
  const bool load = options.load_features || options.need_features;
  data.train_file = open_part(folder, "train", info.train_features, load, options.memory);
  data.test = open_part(folder, "val", info.val_features, load,
                        options.memory.less(data.train_file.features.bytes()));
  check_dataset(data, options);
  if (options.need_features && data.train_file.features.empty()) {
    fail("{}: expected features, found none; make them from images with `spml extract {}`",
         features_file(folder, "train").string(), folder.string());
  }
  return data;
}

}  // namespace spml
