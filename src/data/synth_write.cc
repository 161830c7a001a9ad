#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/observe.h"
#include "data/synth.h"

namespace spml {
namespace {

// In memory at a time.
constexpr size_t kBlockRows = 1024, kBlockBytes = size_t{16} << 20;

// Rows drawn block by block on all threads, written in order: draw(row, out).
template <class T, class Draw>
void write_rows(const Path& path, DType dtype, size_t rows, size_t cols, int threads,
                const Draw& draw) {
  NpyRowWriter writer(path, dtype, rows, cols);
  const size_t fit = std::max<size_t>(1, kBlockBytes / (cols * sizeof(T)));
  const size_t block_rows = std::min({kBlockRows, rows, fit});
  std::vector<T> block(block_rows * cols);
  const auto row = [&](size_t i) { return std::span<T>(block).subspan(i * cols, cols); };
  for (size_t begin = 0; begin < rows; begin += block_rows) {
    const size_t count = std::min(block_rows, rows - begin);
    parallel_for(count, threads, [&](size_t i) { draw(begin + i, row(i)); });
    for (size_t i = 0; i < count; ++i) writer.append(std::span<const T>(row(i)));
  }
  writer.finish();
}

constexpr const char* kImageFolder = "images";

void write_images(const Path& folder, std::string_view part, uint64_t first_key,
                  const LabelMatrix& truth, const DrawImage& draw, int threads) {
  make_folder_inside(folder / kImageFolder);
  std::vector<std::string> names;
  for (size_t i = 0; i < truth.rows(); ++i) names.push_back(fmt::format("{}_{:06}.jpg", part, i));
  parallel_for(truth.rows(), threads, [&](size_t i) {
    std::vector<int8_t> labels(truth.cols());
    truth.read_row(i, labels);
    write_file(folder / kImageFolder / names[i], draw(labels, first_key + i));
  });
  write_npy(images_file(folder, part), std::span<const std::string>(names));
}

void write_observed(const Path& path, const LabelMatrix& truth) {
  NpyRowWriter writer(path, DType::kI8, truth.rows(), truth.cols());
  std::vector<int8_t> y(truth.cols()), o(truth.cols());
  ObservedDraw draw({});
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, y);
    draw.next_row(y, o);
    writer.append(std::span<const int8_t>(o));
  }
  writer.finish();
}

// The truth is read back from its file, which is mapped: N x L labels need not fit in memory.
void write_part(const Path& folder, std::string_view name, const SyntheticModel& model, int part,
                size_t rows, const SynthOptions& options, const DrawImage& draw) {
  const Path path = truth_file(folder, name);
  write_rows<int8_t>(
      path, DType::kI8, rows, options.labels, options.threads,
      [&](size_t i, std::span<int8_t> labels) { model.draw_labels(part, i, labels); });
  const LabelMatrix truth = open_labels(path);
  write_observed(observed_file(folder, name), truth);
  if (draw) {
    write_images(folder, name, part == 0 ? 0 : options.rows, truth, draw, options.threads);
    return;
  }
  write_rows<float>(features_file(folder, name), DType::kF32, rows, options.features,
                    options.threads, [&](size_t i, std::span<float> features) {
                      std::vector<int8_t> labels(truth.cols());
                      truth.read_row(i, labels);
                      model.draw_features(part, i, labels, features);
                    });
}

}  // namespace

void write_synthetic(const Path& folder, const SynthOptions& options, const DrawImage& draw) {
  const SyntheticModel model(options);
  const size_t rows[] = {options.rows,
                         options.test_rows.value_or(std::max<size_t>(1, options.rows / 2))};
  const std::string_view names[] = {"train", "val"};
  for (const int part : {0, 1}) {
    write_part(folder, names[part], model, part, rows[part], options, draw);
  }
  DatasetInfo info;
  info.name = "synthetic";
  info.expected_positives = model.expected_positives();
  if (draw) info.image_root = kImageFolder;
  for (size_t j = 0; j < options.labels; ++j) info.classes.push_back(fmt::format("class_{}", j));
  write_file(folder / "dataset.json", to_json(info));
}

}  // namespace spml
