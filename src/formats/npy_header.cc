// The header of an .npy file: magic, version, length, and a Python dict literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>

#include "base/fail.h"
#include "formats/npy.h"

namespace spml {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = size_t{1} << 20;  // far beyond any header of a plain array
constexpr size_t kAlignment = 64;

struct TypeName {
  DType dtype;
  std::string_view code;  // kind and size as in 'descr'
  size_t item_size;
  std::string_view name;
};

constexpr std::array<TypeName, 9> kNumbers = {{
    {DType::kBool, "b1", 1, "bool"},
    {DType::kU8, "u1", 1, "uint8"},
    {DType::kI8, "i1", 1, "int8"},
    {DType::kI16, "i2", 2, "int16"},
    {DType::kI32, "i4", 4, "int32"},
    {DType::kI64, "i8", 8, "int64"},
    {DType::kF16, "f2", 2, "float16"},
    {DType::kF32, "f4", 4, "float32"},
    {DType::kF64, "f8", 8, "float64"},
}};

// A strict reader of the few Python literals a header may hold.
class Literal {
 public:
  Literal(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  [[noreturn]] void bad(std::string_view expected) const {
    fail("{}: bad .npy header: expected {} at character {}", where_, expected, at_);
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) bad(fmt::format("'{}'", c));
  }

  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t start = at_;
    const size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) bad("the end of a string");
    at_ = end + 1;
    return text_.substr(start, end - start);
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    bad("True or False");
  }

  std::vector<size_t> shape() {
    std::vector<size_t> dims;
    expect('(');
    while (!accept(')')) {
      dims.push_back(number());
      if (!accept(',')) {
        if (dims.size() == 1) bad("',' after the only dimension");
        expect(')');
        break;
      }
    }
    return dims;
  }

  void expect_end() {
    skip_space();
    if (at_ != text_.size()) bad("nothing after the '}'");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  size_t number() {
    skip_space();
    const size_t start = at_;
    size_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const size_t digit = static_cast<size_t>(text_[at_] - '0');
      if (value > (std::numeric_limits<size_t>::max() - digit) / 10) bad("a smaller dimension");
      value = value * 10 + digit;
    }
    if (at_ == start) bad("a dimension that is not negative");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
    return value;
  }

  std::string_view text_, where_;
  size_t at_ = 0;
};

// Decimal length of a string type, at most 7 digits; nothing when malformed or zero.
std::optional<size_t> text_length(std::string_view digits) {
  if (digits.empty() || digits.size() > 7) return std::nullopt;
  size_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<size_t>(c - '0');
  }
  if (value == 0) return std::nullopt;
  return value;
}

// 'descr' is the byte order (<, >, = or | where it has no meaning), the kind, the size.
void parse_type(std::string_view descr, std::string_view where, NpyHeader& header) {
  const char order = descr.empty() ? '\0' : descr[0];
  if (descr.size() >= 3 && (order == '<' || order == '>' || order == '=' || order == '|')) {
    header.big_endian = order == '>';
    const std::string_view code = descr.substr(1);
    for (const TypeName& type : kNumbers) {
      if (code != type.code || (order == '|' && type.item_size > 1)) continue;
      header.dtype = type.dtype;
      header.item_size = type.item_size;
      return;
    }
    const auto length = text_length(code.substr(1));
    if (length && (code[0] == 'S' || (code[0] == 'U' && order != '|'))) {
      header.dtype = code[0] == 'S' ? DType::kBytes : DType::kUnicode;
      header.item_size = *length * (code[0] == 'S' ? 1 : sizeof(char32_t));
      return;
    }
  }
  fail("{}: expected dtype bool, u1, i1, i2, i4, i8, f2, f4, f8, U or S, found '{}'", where,
       descr.substr(0, 40));
}

// Shapes are checked against the bytes there are, so that no later product can overflow and no
// loop over rows can outlast the file.
void check_shape(const NpyHeader& header, size_t file_bytes, std::string_view where) {
  if (header.shape.size() > 2) {
    fail("{}: expected an array of 1 or 2 dimensions, found {}", where, header.shape.size());
  }
  const size_t available = file_bytes - header.data_offset;
  size_t bytes = header.item_size;
  bool fits = true;
  for (const size_t dim : header.shape) {
    fits = fits && dim <= file_bytes && !__builtin_mul_overflow(bytes, dim, &bytes);
  }
  if (fits && bytes <= available) return;
  fail("{}: truncated: its header promises {} elements of {} bytes, but only {} bytes follow",
       where, header.shape.empty() ? "1" : fmt::format("{}", fmt::join(header.shape, " x ")),
       header.item_size, available);
}

}  // namespace

std::string_view to_string(DType dtype) {
  for (const TypeName& type : kNumbers) {
    if (type.dtype == dtype) return type.name;
  }
  return dtype == DType::kUnicode ? "unicode text" : "bytes";
}

size_t NpyHeader::elements() const {
  size_t n = 1;
  for (const size_t dim : shape) n *= dim;
  return n;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + 2) {
    fail("{}: expected a NumPy .npy file, found other contents", where);
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(bytes[i]); };
  const size_t version = byte(kMagic.size());
  if (version < 1 || version > 3) {
    fail("{}: expected .npy version 1, 2 or 3, found {}", where, version);
  }
  const size_t length_at = kMagic.size() + 2;
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t start = length_at + length_bytes;
  if (text.size() < start) fail("{}: truncated: it ends within the .npy header", where);
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= byte(length_at + i) << (8 * i);
  if (length > kMaxHeader) {
    fail("{}: expected an .npy header of at most {} bytes, found {}", where, kMaxHeader, length);
  }
  if (length > text.size() - start) {
    fail("{}: truncated: its .npy header should have {} bytes, but only {} follow", where, length,
         text.size() - start);
  }

  NpyHeader header;
  header.data_offset = start + length;
  Literal literal(text.substr(start, length), where);
  bool has_type = false, has_order = false, has_shape = false;
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string_view key = literal.string();
    literal.expect(':');
    if (key == "descr" && !has_type) {
      parse_type(literal.string(), where, header);
      has_type = true;
    } else if (key == "fortran_order" && !has_order) {
      header.fortran_order = literal.boolean();
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      header.shape = literal.shape();
      has_shape = true;
    } else {
      literal.bad("descr, fortran_order and shape, each once,");
    }
    if (!literal.accept(',')) {
      literal.expect('}');
      break;
    }
  }
  literal.expect_end();
  if (!has_type || !has_order || !has_shape) {
    literal.bad("descr, fortran_order and shape, each once,");
  }
  check_shape(header, bytes.size(), where);
  return header;
}

std::string make_npy_header(DType dtype, size_t item_size, std::span<const size_t> shape) {
  std::string descr;
  if (dtype == DType::kUnicode) descr = fmt::format("<U{}", item_size / sizeof(char32_t));
  if (dtype == DType::kBytes) descr = fmt::format("|S{}", item_size);
  for (const TypeName& type : kNumbers) {
    if (type.dtype == dtype) descr = fmt::format("{}{}", item_size == 1 ? '|' : '<', type.code);
  }
  const std::string dims =
      fmt::format("{}{}", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);

  // Spaces and a newline bring the data to a multiple of 64 bytes.
  const size_t prefix = kMagic.size() + 4;
  const size_t padding = kAlignment - (prefix + dict.size() + 1) % kAlignment;
  dict.append(padding % kAlignment, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace spml
