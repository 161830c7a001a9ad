// include/spml/npy.h
#include "formats/npy.h"

#include "data/feature_matrix.h"
#include "spml/npy.h"

namespace spml {
namespace {

template <class T>
Matrix<T> load(const Path& path) {
  const NpyArray file(path);
  Matrix<T> matrix(file.rows(), file.cols());
  for (size_t i = 0; i < matrix.rows(); ++i) file.read_row(i, matrix.row(i));
  return matrix;
}

}  // namespace

Matrix<float> load_floats(const Path& path) { return load<float>(path); }
Matrix<int8_t> load_labels(const Path& path) { return load<int8_t>(path); }

FeatureFile::FeatureFile(const Path& path)
    : matrix_(std::make_shared<FeatureMatrix>(NpyArray(path))) {}

Features FeatureFile::view() const { return matrix_->view(); }

void save_npy(const Path& path, View<const float> values) { write_npy(path, values); }
void save_npy(const Path& path, View<const int8_t> values) { write_npy(path, values); }

}  // namespace spml
