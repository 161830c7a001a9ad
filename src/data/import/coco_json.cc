#include "data/import/coco_json.h"

#include "base/fail.h"
#include "base/memory_budget.h"
#include "data/import/rows.h"
#include "formats/json_elements.h"
#include "formats/json_parser.h"
#include "formats/lines.h"

namespace spml {
namespace {

using simdjson::dom::element;

// One element of one of the arrays, with its place for messages.
struct Item {
  element value;
  std::string place;

  int64_t integer(std::string_view key) const {
    int64_t number = 0;
    if (value[key].get(number)) fail("{}: expected an integer \"{}\"", place, key);
    return number;
  }

  std::string text(std::string_view key) const {
    std::string_view found;
    if (value[key].get(found)) fail("{}: expected a string \"{}\"", place, key);
    return std::string(found);
  }

  std::optional<std::string> text_if_any(std::string_view key) const {
    if (value[key].error() == simdjson::NO_SUCH_FIELD) return std::nullopt;
    return text(key);
  }

  // 0 when there is none.
  double number(std::string_view key) const {
    double found = 0;
    const auto error = value[key].get(found);
    if (error && error != simdjson::NO_SUCH_FIELD) fail("{}: expected a number \"{}\"", place, key);
    return found;
  }

  void box(double (&out)[4]) const {
    simdjson::dom::array numbers;
    const auto error = value["bbox"].get(numbers);
    if (error == simdjson::NO_SUCH_FIELD) return;
    if (error || numbers.size() != 4) fail("{}: expected \"bbox\" to be four numbers", place);
    size_t i = 0;
    for (const element entry : numbers) {
      if (entry.get(out[i++])) fail("{}: expected \"bbox\" to be four numbers", place);
    }
  }
};

}  // namespace

CocoInstances parse_coco_instances(std::string_view json, std::string_view where) {
  // With what the importer makes of an image: a row, and its id in a map and a list.
  constexpr uint64_t kImageBytes = 3 * sizeof(CocoImage) + kRowBytes + 256;
  MemoryMeter memory(fmt::format("{}: its images and annotations", where));
  CocoInstances data;
  JsonParser parser;
  bool have_annotations = false;
  for_each_element(json, where, [&](std::string_view key, std::string_view text) {
    const bool image = key == "images", category = key == "categories",
               annotation = key == "annotations";
    if (!image && !category && !annotation) return;
    have_annotations |= annotation;
    const size_t index = image      ? data.images.size()
                         : category ? data.categories.size()
                                    : data.objects.size();
    Item item{{}, fmt::format("{}: {}[{}]", where, key, index)};
    item.value = parser.parse(text, item.place);
    if (image) {
      CocoImage entry{item.integer("id"), item.number("width"), item.number("height"),
                      item.text_if_any("file_name")};
      // The name is held here and, behind the name of a folder, in the row.
      memory.add(kImageBytes + 2 * (entry.name ? entry.name->size() : 0));
      data.images.push_back(std::move(entry));
    } else if (category) {
      memory.add(3 * sizeof(CocoCategory) + text.size());
      data.categories.push_back({item.integer("id"), item.text("name")});
    } else {
      memory.add(3 * sizeof(CocoObject) + kLabelBytes);
      CocoObject object{item.integer("id"), item.integer("image_id"), item.integer("category_id")};
      item.box(object.box);
      data.objects.push_back(object);
    }
  });
  if (!have_annotations) {
    fail("{}: expected \"annotations\" with at least one element; is it an instances file?", where);
  }
  return data;
}

CocoInstances read_coco_instances(const Path& path) {
  const MappedFile file(path);
  return parse_coco_instances(checked_text(file), path.string());
}

}  // namespace spml
