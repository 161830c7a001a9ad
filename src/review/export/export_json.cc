// COCO and Label Studio.
#include <nlohmann/json.hpp>
#include <utility>

#include "review/export/export_formats.h"

namespace spml::review {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A list in a file, written one element at a time.
class ListWriter {
 public:
  explicit ListWriter(TextFile& file) : file_(file) { file_.write("["); }
  void add(const Json& element) {
    if (!std::exchange(empty_, false)) file_.write(",");
    file_.write(text_of(element));
  }
  void end() { file_.write("]"); }

 private:
  TextFile& file_;
  bool empty_ = true;
};

void write_images(const Labelled& labelled, ListWriter list) {
  std::vector<int8_t> labels(labelled.classes.size());
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    labelled.labels.read_row(i, labels);
    Json absent = Json::array(), open = Json::array();
    for (size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] < 0) absent.push_back(j + 1);
    }
    for (const Entry& entry : labelled.unsure_of(i)) open.push_back(entry.label + 1);
    list.add({{"id", i + 1},
              {"file_name", labelled.name(i)},
              {"neg_category_ids", std::move(absent)},
              {"unsure_category_ids", std::move(open)}});
  }
  list.end();
}

void write_annotations(const Labelled& labelled, ListWriter list) {
  std::vector<int8_t> labels(labelled.classes.size()), before(labels.size());
  size_t id = 0;
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    labelled.labels.read_row(i, labels);
    labelled.observed.read_row(i, before);
    for (size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] <= 0) continue;
      list.add({{"id", ++id},
                {"image_id", i + 1},
                {"category_id", j + 1},
                {"iscrowd", 0},
                {"source", before[j] > 0 ? "observed" : "review"}});
    }
  }
  list.end();
}

Json task_of(const Labelled& labelled, size_t row, const std::vector<int8_t>& labels) {
  Json present = Json::array(), absent = Json::array(), open = Json::array();
  for (size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] > 0) present.push_back(labelled.classes[j]);
    if (labels[j] < 0) absent.push_back(labelled.classes[j]);
  }
  for (const Entry& entry : labelled.unsure_of(row)) {
    open.push_back(labelled.classes[static_cast<size_t>(entry.label)]);
  }
  const Json choices = {{"from_name", "labels"},
                        {"to_name", "image"},
                        {"type", "choices"},
                        {"value", {{"choices", present}}}};
  return {{"id", row + 1},
          {"data", {{"image", labelled.name(row)}, {"absent", absent}, {"unsure", open}}},
          {"annotations", Json::array({Json{{"result", Json::array({choices})}}})}};
}

}  // namespace

// Image-level annotations: one for each label of an image, without a box. `source` tells labels
// that were there before from those found in the review. Labels known to be absent are in the
// image's neg_category_ids, as in LVIS.
void write_coco(const Labelled& labelled, const ExportOptions& options) {
  TextFile file(options.out);
  file.write("{\"info\":");
  file.write(text_of({{"description", labelled.data.name + ", reviewed with spml"}}));
  file.write(",\"images\":");
  write_images(labelled, ListWriter(file));
  file.write(",\"annotations\":");
  write_annotations(labelled, ListWriter(file));
  file.write(",\"categories\":");
  ListWriter categories(file);
  for (size_t j = 0; j < labelled.classes.size(); ++j) {
    categories.add({{"id", j + 1}, {"name", labelled.classes[j]}});
  }
  categories.end();
  file.write("}\n");
  file.commit();
}

// Tasks with one annotation each, for a project whose labelling interface has
// <Choices name="labels" toName="image" choice="multiple">.
void write_label_studio(const Labelled& labelled, const ExportOptions& options) {
  TextFile file(options.out);
  ListWriter tasks(file);
  std::vector<int8_t> labels(labelled.classes.size());
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    labelled.labels.read_row(i, labels);
    tasks.add(task_of(labelled, i, labels));
  }
  tasks.end();
  file.write("\n");
  file.commit();
}

}  // namespace spml::review
