// MS COCO: annotations/instances_{train,val}YEAR.json. A class is positive in an image when any
// annotation, crowd or not, says so; images without annotation are dropped. Rows are sorted by
// image id as a string, classes by category id, as in the authors' files.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/fail.h"
#include "base/folders.h"
#include "data/import/boxes.h"
#include "data/import/coco_json.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "data/import/rows.h"

namespace spml {
namespace {

Path instances_file(const Path& source, std::string_view phase, int year) {
  return source / "annotations" / fmt::format("instances_{}{}.json", phase, year);
}

int find_year(const Path& source, int wanted) {
  for (const int year : {2014, 2017}) {
    if ((wanted == 0 || wanted == year) && path_exists(instances_file(source, "train", year))) {
      return year;
    }
  }
  fail("{}: expected annotations/instances_train{}.json", source.string(),
       wanted == 0 ? "2014 (or 2017)" : std::to_string(wanted));
}

// What COCO calls an image, for files that do not name theirs.
std::string usual_name(std::string_view phase, int year, int64_t id) {
  if (year == 2014) return fmt::format("COCO_{}{}_{:012}.jpg", phase, year, id);
  return fmt::format("{:012}.jpg", id);
}

// Below the folder of the images. COCO's names begin in train2014/ there; those of other tools,
// like the exports of a review, begin in the folder itself. What is on disk decides, else whether
// the name has a folder of its own, which COCO's never do.
std::string image_name(const CocoImage& image, std::string_view phase, int year,
                       const ImageCheck& check, const std::string& where) {
  const std::string name =
      image.name ? check.below_root(*image.name) : usual_name(phase, year, image.id);
  check_name(name, where);
  std::string in_part = fmt::format("{}{}/{}", phase, year, name);
  if (!image.name || check.is_there(in_part)) return in_part;
  return check.is_there(name) || name.find('/') != std::string::npos ? name : in_part;
}

// Category ids ascending; a label is a position in that order.
void sort_categories(CocoInstances& data, const Path& path) {
  auto& categories = data.categories;
  std::sort(categories.begin(), categories.end(),
            [](const CocoCategory& a, const CocoCategory& b) { return a.id < b.id; });
  for (size_t i = 1; i < categories.size(); ++i) {
    if (categories[i].id == categories[i - 1].id) {
      fail("{}: category id {} is listed twice", path.string(), categories[i].id);
    }
  }
  if (categories.empty()) fail("{}: expected categories, found none", path.string());
  if (categories.size() > kMaxClasses) {
    fail("{}: expected at most {} categories, found {}", path.string(), kMaxClasses,
         categories.size());
  }
}

std::vector<ImportedRow> build_rows(const CocoInstances& data, std::string_view phase, int year,
                                    const Path& path, ImageCheck& check) {
  std::unordered_map<int64_t, size_t> image_index, label_index;
  for (size_t i = 0; i < data.images.size(); ++i) {
    if (!image_index.emplace(data.images[i].id, i).second) {
      fail("{}: image id {} is listed twice", path.string(), data.images[i].id);
    }
  }
  for (size_t i = 0; i < data.categories.size(); ++i) label_index[data.categories[i].id] = i;

  std::vector<ImportedRow> rows(data.images.size());  // in the order of data.images
  for (const CocoObject& object : data.objects) {
    const auto image = image_index.find(object.image);
    if (image == image_index.end()) {
      fail("{}: annotation {} names image {}, which is not among the images", path.string(),
           object.id, object.image);
    }
    const auto label = label_index.find(object.category);
    if (label == label_index.end()) {
      fail("{}: annotation {} names category {}, which is not among the categories", path.string(),
           object.id, object.category);
    }
    const CocoImage& size = data.images[image->second];
    add_box(add_positive(rows[image->second], static_cast<int32_t>(label->second)),
            {object.box[0], object.box[1], object.box[2], object.box[3]}, size.width, size.height);
  }

  std::vector<std::pair<std::string, size_t>> order;  // (id as a string, image)
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].positives.empty()) order.emplace_back(std::to_string(data.images[i].id), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<ImportedRow> part;
  for (const auto& [id, i] : order) {
    const std::string where = fmt::format("{}: image id {}", path.string(), id);
    rows[i].image = image_name(data.images[i], phase, year, check, where);
    check.require(rows[i].image, where);
    part.push_back(std::move(rows[i]));
  }
  return part;
}

std::vector<std::string> class_names(const CocoInstances& data) {
  std::vector<std::string> names;
  for (const CocoCategory& category : data.categories) names.push_back(category.name);
  return names;
}

}  // namespace

ImportedSet import_coco(const Path& source, const CocoOptions& options) {
  const int year = find_year(source, options.year);
  // COCO's names begin with train2014/, so the root is there even when no image was downloaded.
  const Path train_images = source / fmt::format("train{}", year);
  ImageCheck images(options.images, is_folder(train_images) ? source : train_images);
  ImportedSet set;
  set.name = fmt::format("coco{}", year % 100);
  if (year == 2014) set.published = PublishedCounts{82081, 40137, 80};
  set.has_boxes = true;
  for (const std::string_view phase : {"train", "val"}) {
    const Path path = instances_file(source, phase, year);
    if (phase == "val" && !path_exists(path)) {
      set.warnings.push_back(
          fmt::format("{}: no such file, so there is no test split", path.string()));
      continue;
    }
    CocoInstances data = read_coco_instances(path);
    sort_categories(data, path);
    if (phase == "train") set.classes = class_names(data);
    if (class_names(data) != set.classes) {
      fail("{}: expected the same categories as in the training file", path.string());
    }
    (phase == "train" ? set.train : set.test) = build_rows(data, phase, year, path, images);
  }
  images.finish(set);
  if (options.images.root.empty()) set.image_root = source;
  return set;
}

}  // namespace spml
