// NumPy's .npy format, versions 1 to 3. Reading maps the file; everything is checked against the
// file's size before it is used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "spml/view.h"

namespace spml {

enum class DType { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kF32, kF64, kUnicode, kBytes };

std::string_view to_string(DType dtype);

struct NpyHeader {
  DType dtype = DType::kF32;
  size_t item_size = 4;  // bytes of one element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<size_t> shape;  // 0 (a scalar) to 2 dimensions are accepted
  size_t data_offset = 0;
  size_t elements() const;  // product of shape; checked not to overflow when parsed
};

// A mapped array of 1 or 2 dimensions. rows() and cols(): a 1-d array of n has n rows, 1 column.
class NpyArray {
 public:
  NpyArray() = default;
  explicit NpyArray(const Path& path);

  bool empty() const { return header_.shape.empty(); }
  const NpyHeader& header() const { return header_; }
  const Path& path() const { return file_.path(); }
  size_t rows() const;
  size_t cols() const;

  // One element as a number; strings are an Error.
  double at(size_t row, size_t col) const;
  // A row, or a whole array, converted to float / int8 / double. to_int8 is an Error (with row and
  // column) for a value that is not an integer in [-128, 127].
  void read_row(size_t row, std::span<float> out) const;
  void read_row(size_t row, std::span<double> out) const;
  void read_row(size_t row, std::span<int8_t> out) const;

  // True when elements are T in native byte order, C order and aligned, so that view<T>() works
  // without a copy. T: float, double, int8_t, int32_t, int64_t, uint16_t (raw float16 bits).
  template <class T>
  bool is_native() const;
  template <class T>
  View<const T> view() const;  // Error unless is_native<T>()

  // Element of a 1-d string array as UTF-8; Error for invalid code points.
  std::string text(size_t row) const;

  const std::byte* data() const { return file_.bytes().data() + header_.data_offset; }

 private:
  MappedFile file_;
  NpyHeader header_;
};

// Parses the header of a file's bytes; `where` names the file in errors. Used by NpyArray and by
// the fuzz target.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view where);

// The bytes of a version-1 header for a C-order array of the given type and shape.
std::string make_npy_header(DType dtype, size_t item_size, std::span<const size_t> shape);

// All written atomically, little-endian, C order.
void write_npy(const Path& path, View<const float> values);
void write_npy(const Path& path, View<const int8_t> values);
void write_npy(const Path& path, std::span<const int32_t> values);
void write_npy_f16(const Path& path, View<const float> values);        // rounded to nearest even
void write_npy(const Path& path, std::span<const std::string> texts);  // as <U

// Writes a large C-order array row by row, a megabyte at a time; all of it is on its way to the
// disk with the last row, and the file appears under its name at finish().
class NpyRowWriter {
 public:
  NpyRowWriter(const Path& path, DType dtype, size_t rows, size_t cols);  // kF32, kF16 or kI8
  void append(std::span<const float> row);                                // kF32 or kF16
  void append(std::span<const int8_t> row);                               // kI8
  void finish();  // Error unless exactly `rows` rows were appended

 private:
  void put(const void* data, size_t bytes);
  void end_row();
  void flush();

  AtomicFile file_;
  DType dtype_;
  size_t rows_, cols_, written_ = 0;
  std::vector<std::byte> buffer_;  // rows that are short, until they are worth a call
};

}  // namespace spml
