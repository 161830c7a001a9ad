// Builds .npy files byte by byte, right or wrong.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace spml {

inline std::string npy_with_dict(std::string dict, const std::string& data, int version = 1) {
  const size_t length_bytes = version == 1 ? 2 : 4;
  dict.append(63 - (8 + length_bytes + dict.size()) % 64, ' ');
  dict += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (size_t i = 0; i < length_bytes; ++i)
    file += static_cast<char>((dict.size() >> (8 * i)) & 0xff);
  return file + dict + data;
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool fortran = false, int version = 1) {
  return npy_with_dict(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   fortran ? "True" : "False", shape),
                       data, version);
}

// The memory of some numbers, in either byte order.
template <class T>
std::string raw(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  if (!big_endian) return bytes;
  for (size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    std::reverse(bytes.begin() + i, bytes.begin() + i + sizeof(T));
  }
  return bytes;
}

}  // namespace spml
