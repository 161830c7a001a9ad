// The lists of the importers: trees of a few text files.
#include "data/import/import.h"
#include "data/observe_bias.h"
#include "memory_file.h"
#include "sections.h"
#include "targets.h"

namespace spml {
namespace {

FuzzFolder& folder() {
  static FuzzFolder shared;
  return shared;
}

const std::vector<std::string> kVoc = {
    "VOC2012/ImageSets/Main/cow_train.txt", "VOC2012/ImageSets/Main/cow_val.txt",
    "VOC2012/ImageSets/Main/dog_train.txt", "VOC2012/ImageSets/Main/dog_val.txt",
    "VOC2012/Annotations/a.xml"};
const std::vector<std::string> kNus = {"ImageList/TrainImagelist.txt",
                                       "ImageList/TestImagelist.txt",
                                       "Groundtruth/TrainTestLabels/Labels_sea_Train.txt",
                                       "Groundtruth/TrainTestLabels/Labels_sea_Test.txt",
                                       "Groundtruth/TrainTestLabels/Labels_sky_Train.txt",
                                       "Groundtruth/TrainTestLabels/Labels_sky_Test.txt"};
const std::vector<std::string> kCub = {"images.txt", "train_test_split.txt",
                                       "attributes/attributes.txt",
                                       "attributes/image_attribute_labels.txt"};
const std::vector<std::string> kTable = {"t.csv", "t.jsonl", "classes.txt", "complete.txt"};

// Reads the tree and writes it as a data folder, as the verb does.
template <class Import>
bool import_tree(std::span<const std::byte> bytes, const std::vector<std::string>& names,
                 const Import& import) {
  folder().fill(split_sections(bytes), names);
  return accepts([&] {
    const ImportedSet set = import(folder().path());
    report_import(set);
    write_data_folder(set, folder().path() / "out", true);
  });
}

}  // namespace

bool fuzz_voc_lists(std::span<const std::byte> bytes) {
  return import_tree(bytes, kVoc, [](const Path& path) { return import_voc(path); });
}

bool fuzz_nus_lists(std::span<const std::byte> bytes) {
  return import_tree(bytes, kNus, [](const Path& path) {
    return import_nus(path, {.images = {.allow_missing = true}});
  });
}

bool fuzz_cub_lists(std::span<const std::byte> bytes) {
  return import_tree(bytes, kCub, [](const Path& path) { return import_cub(path); });
}

bool fuzz_table(std::span<const std::byte> bytes) {
  const std::vector<Section> sections = split_sections(bytes);
  bool accepted = false;
  for (const char* name : {"t.csv", "t.jsonl"}) {
    accepted |= import_tree(bytes, kTable, [&](const Path& path) {
      TableOptions options;
      options.images.allow_missing = true;
      if (std::filesystem::exists(path / "classes.txt")) options.classes = path / "classes.txt";
      const Path complete = path / "complete.txt";
      if (std::filesystem::exists(complete)) options.complete_rows = complete;
      return import_table(path / name, options);
    });
  }
  return accepted;
}

bool fuzz_class_weights(std::span<const std::byte> bytes) {
  const std::vector<std::string> classes = {"cat", "dog", "=1+1"};
  bool accepted = false;
  for (const char* name : {"w.csv", "w.json"}) {
    folder().clear();
    folder().put(name, as_text(bytes));
    accepted |= accepts([&] { read_class_weights(folder().path() / name, classes); });
  }
  return accepted;
}

}  // namespace spml
