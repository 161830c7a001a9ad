// COCO and Label Studio.
#include <nlohmann/json.hpp>

#include "review/export_formats.h"

namespace spml::review {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

// Image-level annotations: one for each label of an image, without a box. `source` tells labels
// that were there before from those found in the review. Labels known to be absent are in the
// image's neg_category_ids, as in LVIS.
std::string coco_text(const Labelled& labelled) {
  const size_t N = labelled.labels.rows(), L = labelled.classes.size();
  Json json = {{"info", {{"description", labelled.data.name + ", reviewed with spml"}}},
               {"images", Json::array()},
               {"annotations", Json::array()},
               {"categories", Json::array()}};
  for (size_t j = 0; j < L; ++j) {
    json["categories"].push_back({{"id", j + 1}, {"name", labelled.classes[j]}});
  }
  const auto unsure = labelled.unsure();
  std::vector<int8_t> labels(L), before(L);
  size_t id = 0;
  for (size_t i = 0; i < N; ++i) {
    labelled.labels.read_row(i, labels);
    labelled.observed.read_row(i, before);
    Json image = {{"id", i + 1}, {"file_name", labelled.name(i)}};
    Json absent = Json::array(), open = Json::array();
    for (size_t j = 0; j < L; ++j) {
      if (labels[j] < 0) absent.push_back(j + 1);
      if (labels[j] <= 0) continue;
      json["annotations"].push_back({{"id", ++id},
                                     {"image_id", i + 1},
                                     {"category_id", j + 1},
                                     {"iscrowd", 0},
                                     {"source", before[j] > 0 ? "observed" : "review"}});
    }
    for (const int32_t label : unsure[i]) open.push_back(label + 1);
    image["neg_category_ids"] = std::move(absent);
    image["unsure_category_ids"] = std::move(open);
    json["images"].push_back(std::move(image));
  }
  return text_of(json);
}

// Tasks with one annotation each, for a project whose labelling interface has
// <Choices name="labels" toName="image" choice="multiple">.
std::string label_studio_text(const Labelled& labelled) {
  const size_t N = labelled.labels.rows(), L = labelled.classes.size();
  Json tasks = Json::array();
  const auto unsure = labelled.unsure();
  std::vector<int8_t> labels(L);
  for (size_t i = 0; i < N; ++i) {
    labelled.labels.read_row(i, labels);
    Json present = Json::array(), absent = Json::array(), open = Json::array();
    for (size_t j = 0; j < L; ++j) {
      if (labels[j] > 0) present.push_back(labelled.classes[j]);
      if (labels[j] < 0) absent.push_back(labelled.classes[j]);
    }
    for (const int32_t label : unsure[i]) {
      open.push_back(labelled.classes[static_cast<size_t>(label)]);
    }
    Json task = {{"id", i + 1},
                 {"data", {{"image", labelled.name(i)}, {"absent", absent}, {"unsure", open}}}};
    const Json choices = {{"from_name", "labels"},
                          {"to_name", "image"},
                          {"type", "choices"},
                          {"value", {{"choices", present}}}};
    task["annotations"] = Json::array({Json{{"result", Json::array({choices})}}});
    tasks.push_back(std::move(task));
  }
  return text_of(tasks);
}

}  // namespace spml::review
