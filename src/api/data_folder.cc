// include/spml/data.h
#include "api/folder_state.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "data/observe.h"
#include "spml/data.h"

namespace spml {

View<const int8_t> ViewableLabels::view(const LabelMatrix& labels) const {
  if (labels.empty()) return {};
  if (const View<const int8_t> native = labels.view(); !native.empty()) return native;
  std::call_once(once_, [&] {
    converted_.resize(labels.rows() * labels.cols());
    for (size_t i = 0; i < labels.rows(); ++i) {
      labels.read_row(i, std::span(converted_).subspan(i * labels.cols(), labels.cols()));
    }
  });
  return {converted_.data(), labels.rows(), labels.cols()};
}

Matrix<int8_t> draw_observed(View<const int8_t> truth, const ObserveOptions& options) {
  check_truth(LabelMatrix(truth), 1);
  Matrix<int8_t> observed(truth.rows, truth.cols);
  ObservedDraw draw(options);
  for (size_t i = 0; i < truth.rows; ++i) {
    draw.next_row({truth.row(i), truth.cols}, observed.row(i));
  }
  return observed;
}

DataFolder DataFolder::open(const Path& folder, const OpenOptions& options) {
  DatasetOptions checks;
  checks.need_features = options.need_features;
  checks.check_features = options.check_features;
  checks.threads = options.threads > 0 ? options.threads : hardware_threads();
  auto state = std::make_shared<FolderState>();
  state->data = open_dataset(folder, checks);
  return DataFolder(std::move(state));
}

const Path& DataFolder::path() const { return state_->data.folder; }
const std::string& DataFolder::name() const { return state_->data.name; }
const std::vector<std::string>& DataFolder::classes() const { return state_->data.classes; }
std::optional<double> DataFolder::expected_positives() const {
  return state_->data.expected_positives;
}
Split DataFolder::split(double val_fraction, uint32_t seed) const {
  return split_rows(state_->data.train_file.rows(), val_fraction, seed);
}

size_t DataFolder::Part::rows() const { return state_->part(index_).rows(); }
View<const int8_t> DataFolder::Part::truth() const {
  return state_->truth[index_].view(state_->part(index_).truth);
}
View<const int8_t> DataFolder::Part::observed() const {
  return state_->observed[index_].view(state_->part(index_).observed);
}
Features DataFolder::Part::features() const {
  const FeatureMatrix& features = state_->part(index_).features;
  return features.empty() ? Features() : features.view();
}

bool DataFolder::Part::has_images() const { return !state_->part(index_).images.empty(); }

std::string DataFolder::Part::image_name(size_t row) const {
  const NpyArray& images = state_->part(index_).images;
  if (row >= images.rows()) {
    fail("{}: expected a row of {} images, asked for row {}", state_->data.folder.string(),
         images.empty() ? 0 : images.rows(), row);
  }
  return images.text(row);
}

Path DataFolder::Part::image_file(size_t row) const {
  return state_->data.folder / state_->data.image_root / image_name(row);
}

}  // namespace spml
