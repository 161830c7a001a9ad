// The safetensors format: an 8-byte length, a JSON header, then raw tensors. Reading maps the file
// and checks every offset; nothing in the file can run code.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace spml {

struct TensorInfo {
  std::string dtype;  // "F32", "F16", "I32", ... as in the file
  std::vector<size_t> shape;
  std::span<const std::byte> bytes;
  size_t elements() const;
};

class SafetensorsFile {
 public:
  explicit SafetensorsFile(const Path& path);

  const std::map<std::string, TensorInfo>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const Path& path() const { return file_.path(); }

  bool contains(std::string_view name) const;
  const TensorInfo& tensor(std::string_view name) const;  // Error when missing
  // F32, F16, BF16 or F64 converted to float; Error for another type.
  std::vector<float> floats(std::string_view name) const;

 private:
  MappedFile file_;
  std::map<std::string, TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Parses and checks a whole file's bytes; `where` names it in errors. Used by SafetensorsFile and
// by the fuzz target.
void parse_safetensors(std::span<const std::byte> bytes, std::string_view where,
                       std::map<std::string, TensorInfo>& tensors,
                       std::map<std::string, std::string>& metadata);

// The raw bytes of a tensor; Error unless it has exactly as many.
void read_exactly(const SafetensorsFile& file, std::string_view name, std::span<std::byte> out);
template <class T>
void read_exactly(const SafetensorsFile& file, std::string_view name, std::span<T> out) {
  read_exactly(file, name, std::as_writable_bytes(out));
}

// A whole number kept as metadata; Error when it is missing or something else.
uint64_t metadata_number(const SafetensorsFile& file, const std::string& key);

// Collects tensors by reference, then writes the file atomically. The bytes must outlive write().
class SafetensorsWriter {
 public:
  void add(std::string name, std::string_view dtype, std::vector<size_t> shape,
           std::span<const std::byte> bytes);
  void add(std::string name, std::vector<size_t> shape, std::span<const float> values);
  void add_metadata(std::string key, std::string value);
  // Error, which names the file to be written, unless all numbers of F32 tensors are finite.
  void expect_finite(const Path& path) const;
  void write(const Path& path) const;

 private:
  struct Entry {
    std::string name, dtype;
    std::vector<size_t> shape;
    std::span<const std::byte> bytes;
  };
  std::vector<Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace spml
