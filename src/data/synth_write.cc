#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/observe.h"
#include "data/synth.h"

namespace spml {
namespace {

constexpr size_t kBlock = 1024;  // rows in memory at a time

LabelMatrix draw_truth(const SyntheticModel& model, int part, size_t rows,
                       const SynthOptions& options) {
  const size_t L = options.labels;
  std::vector<int8_t> truth(rows * L);
  parallel_for((rows + kBlock - 1) / kBlock, options.threads, [&](size_t block) {
    const size_t end = std::min(rows, (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) {
      model.draw_labels(part, i, std::span(truth).subspan(i * L, L));
    }
  });
  return LabelMatrix(std::move(truth), rows, L);
}

void write_features(const Path& path, const SyntheticModel& model, int part,
                    const LabelMatrix& truth, const SynthOptions& options) {
  const size_t D = options.features;
  NpyRowWriter writer(path, DType::kF32, truth.rows(), D);
  std::vector<float> block(std::min(kBlock, truth.rows()) * D);
  for (size_t begin = 0; begin < truth.rows(); begin += kBlock) {
    const size_t rows = std::min(kBlock, truth.rows() - begin);
    parallel_for(rows, options.threads, [&](size_t i) {
      std::vector<int8_t> labels(truth.cols());
      truth.read_row(begin + i, labels);
      model.draw_features(part, begin + i, labels, std::span(block).subspan(i * D, D));
    });
    for (size_t i = 0; i < rows; ++i) {
      writer.append(std::span<const float>(block).subspan(i * D, D));
    }
  }
  writer.finish();
}

constexpr const char* kImageFolder = "images";

void write_images(const Path& folder, std::string_view part, uint64_t first_key,
                  const LabelMatrix& truth, const DrawImage& draw, int threads) {
  make_folder(folder / kImageFolder);
  std::vector<std::string> names;
  for (size_t i = 0; i < truth.rows(); ++i) names.push_back(fmt::format("{}_{:06}.jpg", part, i));
  parallel_for(truth.rows(), threads, [&](size_t i) {
    std::vector<int8_t> labels(truth.cols());
    truth.read_row(i, labels);
    write_file(folder / kImageFolder / names[i], draw(labels, first_key + i));
  });
  write_npy(images_file(folder, part), std::span<const std::string>(names));
}

}  // namespace

void write_synthetic(const Path& folder, const SynthOptions& options, const DrawImage& draw) {
  const SyntheticModel model(options);
  const size_t rows[] = {options.rows, std::max<size_t>(1, options.rows / 2)};
  const std::string_view names[] = {"train", "val"};
  for (const int part : {0, 1}) {
    const LabelMatrix truth = draw_truth(model, part, rows[part], options);
    write_labels(truth_file(folder, names[part]), truth);
    write_labels(observed_file(folder, names[part]), draw_observed(truth, {}));
    // What an earlier data set left here must not stand beside these labels.
    std::filesystem::remove(images_file(folder, names[part]));
    std::filesystem::remove(features_file(folder, names[part]));
    if (draw) {
      write_images(folder, names[part], part == 0 ? 0 : options.rows, truth, draw, options.threads);
    } else {
      write_features(features_file(folder, names[part]), model, part, truth, options);
    }
  }
  DatasetInfo info;
  info.name = "synthetic";
  info.expected_positives = model.expected_positives();
  if (draw) info.image_root = kImageFolder;
  for (size_t j = 0; j < options.labels; ++j) info.classes.push_back(fmt::format("class_{}", j));
  write_file(folder / "dataset.json", to_json(info));
}

}  // namespace spml
