#include "formats/npy.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/fail.h"
#include "base/float16.h"
#include "base/utf8.h"

namespace spml {
namespace {

static_assert(std::endian::native == std::endian::little, "files are mapped as little-endian");

template <size_t Size>
using UnsignedOf = std::conditional_t<
    Size == 1, uint8_t,
    std::conditional_t<Size == 2, uint16_t, std::conditional_t<Size == 4, uint32_t, uint64_t>>>;

uint8_t swap_bytes(uint8_t x) { return x; }
uint16_t swap_bytes(uint16_t x) { return __builtin_bswap16(x); }
uint32_t swap_bytes(uint32_t x) { return __builtin_bswap32(x); }
uint64_t swap_bytes(uint64_t x) { return __builtin_bswap64(x); }

// Markers for elements that are not stored as the number they mean.
struct Half {
  uint16_t bits;
};
struct Bool {
  uint8_t byte;
};

double value_of(Half half) { return half_to_float(half.bits); }
double value_of(Bool flag) { return flag.byte != 0; }
template <class T>
T value_of(T number) {
  return number;
}

// Elements may be unaligned in the file: memcpy is the only legal way to load them.
template <class T>
auto load(const std::byte* p, bool swap) {
  UnsignedOf<sizeof(T)> bits;
  std::memcpy(&bits, p, sizeof(bits));
  return value_of(std::bit_cast<T>(swap ? swap_bytes(bits) : bits));
}

// f(T{}) with the T in which the file stores its numbers.
template <class F>
void with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool:
      return f(Bool{});
    case DType::kU8:
      return f(uint8_t{});
    case DType::kI8:
      return f(int8_t{});
    case DType::kI16:
      return f(int16_t{});
    case DType::kI32:
      return f(int32_t{});
    case DType::kI64:
      return f(int64_t{});
    case DType::kF16:
      return f(Half{});
    case DType::kF32:
      return f(float{});
    case DType::kF64:
      return f(double{});
    case DType::kUnicode:
    case DType::kBytes:
      break;
  }
}

bool is_text(DType dtype) { return dtype == DType::kUnicode || dtype == DType::kBytes; }

template <class Value>
bool fits_int8(Value value) {
  if (!(value >= Value{0} ? value <= Value{127} : static_cast<double>(value) >= -128)) return false;
  if constexpr (std::is_floating_point_v<Value>) return value == std::trunc(value);
  return true;
}

template <class Out>
void convert_row(const NpyArray& array, size_t row, std::span<Out> out) {
  const NpyHeader& header = array.header();
  if (is_text(header.dtype)) {
    fail("{}: expected numbers, found {}", array.path().string(), to_string(header.dtype));
  }
  if (row >= array.rows() || out.size() != array.cols()) {
    fail("{}: expected a row below {} of {} columns, asked for row {} of {}", array.path().string(),
         array.rows(), array.cols(), row, out.size());
  }
  const size_t first = header.fortran_order ? row : row * array.cols();
  const size_t stride = header.item_size * (header.fortran_order ? array.rows() : 1);
  const std::byte* start = array.data() + first * header.item_size;
  with_type(header.dtype, [&](auto type) {
    for (size_t j = 0; j < out.size(); ++j) {
      const auto value = load<decltype(type)>(start + j * stride, header.big_endian);
      if constexpr (std::is_same_v<Out, int8_t>) {
        if (!fits_int8(value)) {
          fail("{}: row {}, column {}: expected a whole number from -128 to 127, found {}",
               array.path().string(), row, j, value);
        }
      }
      out[j] = static_cast<Out>(value);
    }
  });
}

template <class T>
constexpr DType kDTypeOf = DType::kF32;
template <>
constexpr DType kDTypeOf<double> = DType::kF64;
template <>
constexpr DType kDTypeOf<int8_t> = DType::kI8;
template <>
constexpr DType kDTypeOf<int32_t> = DType::kI32;
template <>
constexpr DType kDTypeOf<int64_t> = DType::kI64;
template <>
constexpr DType kDTypeOf<uint16_t> = DType::kF16;

}  // namespace

NpyArray::NpyArray(const Path& path) : file_(path) {
  header_ = parse_npy_header(file_.bytes(), path.string());
  if (header_.shape.empty()) {
    fail("{}: expected an array of 1 or 2 dimensions, found a scalar", path.string());
  }
}

size_t NpyArray::rows() const { return header_.shape.empty() ? 0 : header_.shape[0]; }

size_t NpyArray::cols() const { return header_.shape.size() < 2 ? 1 : header_.shape[1]; }

double NpyArray::at(size_t row, size_t col) const {
  if (is_text(header_.dtype)) {
    fail("{}: expected numbers, found {}", path().string(), to_string(header_.dtype));
  }
  if (row >= rows() || col >= cols()) {
    fail("{}: expected a row below {} and a column below {}, asked for {}, {}", path().string(),
         rows(), cols(), row, col);
  }
  const size_t index = header_.fortran_order ? col * rows() + row : row * cols() + col;
  const std::byte* element = data() + index * header_.item_size;
  double value = 0;
  with_type(header_.dtype, [&](auto type) {
    value = static_cast<double>(load<decltype(type)>(element, header_.big_endian));
  });
  return value;
}

void NpyArray::read_row(size_t row, std::span<float> out) const { convert_row(*this, row, out); }
void NpyArray::read_row(size_t row, std::span<double> out) const { convert_row(*this, row, out); }
void NpyArray::read_row(size_t row, std::span<int8_t> out) const { convert_row(*this, row, out); }

template <class T>
bool NpyArray::is_native() const {
  const bool one_line = rows() <= 1 || cols() <= 1;  // both orders are the same
  return !empty() && header_.dtype == kDTypeOf<T> && (!header_.big_endian || sizeof(T) == 1) &&
         (!header_.fortran_order || one_line) &&
         reinterpret_cast<uintptr_t>(data()) % alignof(T) == 0;
}

template <class T>
View<const T> NpyArray::view() const {
  if (!is_native<T>()) {
    fail("{}: expected little-endian {} in C order", path().string(), to_string(kDTypeOf<T>));
  }
  return {reinterpret_cast<const T*>(data()), rows(), cols()};
}

template bool NpyArray::is_native<float>() const;
template bool NpyArray::is_native<double>() const;
template bool NpyArray::is_native<int8_t>() const;
template bool NpyArray::is_native<int32_t>() const;
template bool NpyArray::is_native<int64_t>() const;
template bool NpyArray::is_native<uint16_t>() const;
template View<const float> NpyArray::view() const;
template View<const double> NpyArray::view() const;
template View<const int8_t> NpyArray::view() const;
template View<const int32_t> NpyArray::view() const;
template View<const int64_t> NpyArray::view() const;
template View<const uint16_t> NpyArray::view() const;

std::string NpyArray::text(size_t row) const {
  if (!is_text(header_.dtype) || cols() != 1) {
    fail("{}: expected a list of text (U or S), found {} with {} columns", path().string(),
         to_string(header_.dtype), cols());
  }
  if (row >= rows()) {
    fail("{}: expected a row below {}, asked for {}", path().string(), rows(), row);
  }
  const std::byte* start = data() + row * header_.item_size;
  const size_t unit = header_.dtype == DType::kUnicode ? sizeof(char32_t) : 1;
  const auto unit_at = [&](size_t i) -> uint32_t {
    return unit == 1 ? load<uint8_t>(start + i, false)
                     : load<uint32_t>(start + i * unit, header_.big_endian);
  };
  size_t length = header_.item_size / unit;
  while (length > 0 && unit_at(length - 1) == 0) --length;  // NumPy pads with zeros
  std::string text;
  bool valid = true;
  for (size_t i = 0; i < length && valid; ++i) {
    const uint32_t c = unit_at(i);
    valid = c != 0 && is_code_point(c);
    if (unit == 1) {
      text += static_cast<char>(c);
    } else if (valid) {
      append_utf8(text, c);
    }
  }
  if (!valid || (unit == 1 && !decode_utf8(text))) {
    fail("{}: row {}: expected valid Unicode text", path().string(), row);
  }
  return text;
}

}  // namespace spml
