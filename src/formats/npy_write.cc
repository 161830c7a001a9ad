#include <algorithm>
#include <array>

#include "base/fail.h"
#include "base/float16.h"
#include "base/memory_budget.h"
#include "base/utf8.h"
#include "formats/npy.h"

namespace spml {
namespace {

size_t written_size(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return 4;
    case DType::kF16:
      return 2;
    case DType::kI8:
      return 1;
    default:
      fail("npy rows can be written as float32, float16 or int8, not as {}", to_string(dtype));
  }
}

void write_whole(const Path& path, DType dtype, size_t item_size, std::span<const size_t> shape,
                 const void* data) {
  size_t bytes = item_size;
  for (const size_t dim : shape) bytes *= dim;
  AtomicFile file(path);
  file.write(make_npy_header(dtype, item_size, shape));
  file.write(data, bytes);
  file.commit();
}

// Padding is not worth a word below so many characters, nor up to so many times the text itself.
constexpr size_t kPaddedFreely = size_t{16} << 20, kMaxPadding = 16;

constexpr size_t kBuffer = size_t{1} << 20;  // a call for each row of one byte takes minutes

// A file that cannot fit is refused before the disk is full of its beginning.
void check_room(const Path& path, uint64_t bytes) {
  std::error_code error;
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  const auto space = std::filesystem::space(folder, error);
  if (error || bytes <= space.available) return;
  fail("{}: the file would have {}, and the disk has room for {}", path.string(), size_text(bytes),
       size_text(space.available));
}

}  // namespace

void write_npy(const Path& path, View<const float> values) {
  write_whole(path, DType::kF32, 4, std::array{values.rows, values.cols}, values.data);
}

void write_npy(const Path& path, View<const int8_t> values) {
  write_whole(path, DType::kI8, 1, std::array{values.rows, values.cols}, values.data);
}

void write_npy(const Path& path, std::span<const int32_t> values) {
  write_whole(path, DType::kI32, 4, std::array{values.size()}, values.data());
}

void write_npy_f16(const Path& path, View<const float> values) {
  NpyRowWriter writer(path, DType::kF16, values.rows, values.cols);
  for (size_t i = 0; i < values.rows; ++i) writer.append({values.row(i), values.cols});
  writer.finish();
}

void write_npy(const Path& path, std::span<const std::string> texts) {
  size_t longest = 1, longest_row = 0, total = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto code_points = decode_utf8(texts[i]);
    if (!code_points) fail("{}: row {}: expected valid UTF-8", path.string(), i);
    total += code_points->size();
    if (code_points->size() <= longest) continue;
    longest = code_points->size();
    longest_row = i;
  }
  // Every row is as long as the longest: a single long name among a million would be gigabytes.
  if (texts.size() * longest > kPaddedFreely && texts.size() * longest > kMaxPadding * total) {
    fail("{}: row {}: its text of {} characters would make all {} rows as long; shorten it",
         path.string(), longest_row, longest, texts.size());
  }
  const size_t item_size = longest * sizeof(char32_t);
  check_room(path, saturating_product(texts.size(), item_size));
  AtomicFile file(path);
  file.write(make_npy_header(DType::kUnicode, item_size, std::array{texts.size()}));
  for (const std::string& text : texts) {
    std::u32string padded = *decode_utf8(text);
    padded.resize(longest, U'\0');
    file.write(padded.data(), item_size);
  }
  file.commit();
}

NpyRowWriter::NpyRowWriter(const Path& path, DType dtype, size_t rows, size_t cols)
    : file_(path), dtype_(dtype), rows_(rows), cols_(cols) {
  const size_t item_size = written_size(dtype);
  check_room(path, saturating_product(rows, cols, item_size));
  file_.write(make_npy_header(dtype, item_size, std::array{rows, cols}));
}

void NpyRowWriter::append(std::span<const float> row) {
  if (row.size() != cols_ || dtype_ == DType::kI8) {
    fail("expected a row of {} {} values, found {} floats", cols_, to_string(dtype_), row.size());
  }
  if (dtype_ == DType::kF32) {
    put(row.data(), row.size_bytes());
  } else {
    std::array<uint16_t, 1024> halves;
    for (size_t begin = 0; begin < cols_; begin += halves.size()) {
      const auto part = row.subspan(begin, std::min(halves.size(), cols_ - begin));
      std::ranges::transform(part, halves.begin(), float_to_half);
      put(halves.data(), part.size() * sizeof(uint16_t));
    }
  }
  end_row();
}

void NpyRowWriter::append(std::span<const int8_t> row) {
  if (row.size() != cols_ || dtype_ != DType::kI8) {
    fail("expected a row of {} {} values, found {} int8", cols_, to_string(dtype_), row.size());
  }
  put(row.data(), row.size());
  end_row();
}

void NpyRowWriter::put(const void* data, size_t bytes) {
  if (buffer_.size() + bytes > kBuffer) flush();
  if (bytes > kBuffer) return file_.write(data, bytes);
  const auto* first = static_cast<const std::byte*>(data);
  buffer_.insert(buffer_.end(), first, first + bytes);
}

void NpyRowWriter::end_row() {
  if (++written_ == rows_) flush();
}

void NpyRowWriter::flush() {
  file_.write(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void NpyRowWriter::finish() {
  if (written_ != rows_) fail("expected {} rows, {} were appended", rows_, written_);
  file_.commit();
}

}  // namespace spml
