// Formats of one file each.
#include "data/dataset_json.h"
#include "data/feature_matrix.h"
#include "data/import/coco_json.h"
#include "data/import/table_records.h"
#include "data/import/voc_xml.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "formats/table_text.h"
#include "formats/torch_checkpoint.h"
#include "formats/xmp.h"
#include "memory_file.h"
#include "targets.h"

namespace spml {
namespace {

void read_numbers(const NpyArray& array) {
  std::vector<float> floats(array.cols());
  std::vector<int8_t> labels(array.cols());
  for (size_t i = 0; i < array.rows(); ++i) {
    array.read_row(i, std::span(floats));
    accepts([&] { array.read_row(i, std::span(labels)); });
    if (array.cols() > 0) array.at(i, array.cols() - 1);
  }
}

}  // namespace

bool fuzz_npy(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  return accepts([&] {
    NpyArray array(file.path());
    const DType dtype = array.header().dtype;
    if (dtype == DType::kUnicode || dtype == DType::kBytes) {
      for (size_t i = 0; i < array.rows(); ++i) array.text(i);
      return;
    }
    read_numbers(array);
    accepts([&] { FeatureMatrix(std::move(array)).check_finite(1); });
  });
}

bool fuzz_safetensors(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  return accepts([&] {
    const SafetensorsFile tensors(file.path());
    std::vector<std::vector<float>> all;  // alive at once, as whoever loads a model has them
    for (const auto& entry : tensors.tensors()) {
      accepts([&] { all.push_back(tensors.floats(entry.first)); });
    }
  });
}

bool fuzz_pth(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  return accepts([&] {
    const TorchCheckpoint checkpoint(file.path());
    std::vector<std::vector<float>> all;  // alive at once, as whoever imports them has them
    for (const auto& entry : checkpoint.tensors()) {
      accepts([&] { all.push_back(checkpoint.floats(entry.first)); });
    }
  });
}

bool fuzz_dataset_json(std::span<const std::byte> bytes) {
  return accepts([&] {
    const DatasetInfo info = parse_dataset_json(as_text(bytes), "dataset.json");
    parse_dataset_json(to_json(info), "written");  // what we write, we read
  });
}

bool fuzz_csv(std::span<const std::byte> bytes) {
  const auto read = [&](bool header) {
    return accepts([&] {
      const TableText text(as_text(bytes), "t.csv");
      const TableLayout layout = read_table_layout(text.text(), "t.csv", {.header = header});
      read_csv_records(text.text(), "t.csv", layout, [](const auto&) {});
    });
  };
  read(false);
  return read(true);
}

bool fuzz_json_lines(std::span<const std::byte> bytes) {
  return accepts(
      [&] { read_json_lines_records(as_text(bytes), "t.jsonl", {";"}, [](const auto&) {}); });
}

bool fuzz_voc_xml(std::span<const std::byte> bytes) {
  return accepts([&] {
    const VocAnnotation annotation = parse_voc_xml(as_text(bytes), "a.xml");
    ImportedLabel label;
    for (const VocObject& object : annotation.objects) {
      add_box(label, object.box, annotation.width, annotation.height);
    }
  });
}

bool fuzz_xmp(std::span<const std::byte> bytes) {
  return accepts([&] {
    const std::vector<std::string> added = {"cat", "<b> & \"c\""};
    const std::string written = with_xmp_keywords(as_text(bytes), added, "a.xmp");
    xmp_keywords(written, "written");  // what we write, we read
  });
}

bool fuzz_coco_json(std::span<const std::byte> bytes) {
  return accepts([&] { parse_coco_instances(as_text(bytes), "instances.json"); });
}

}  // namespace spml
