#include "formats/npy.h"
#include "spml/npy.h"

namespace spml {
namespace {

template <class T>
Array<T> load(const std::string& path) {
  const NpyArray file{Path(path)};
  Array<T> array;
  array.rows = file.rows();
  array.cols = file.cols();
  array.values.resize(array.rows * array.cols);
  for (size_t i = 0; i < array.rows; ++i) {
    file.read_row(i, std::span(array.values).subspan(i * array.cols, array.cols));
  }
  return array;
}

}  // namespace

Array<float> load_floats(const std::string& path) { return load<float>(path); }
Array<int8_t> load_labels(const std::string& path) { return load<int8_t>(path); }

}  // namespace spml
