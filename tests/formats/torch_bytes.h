// Builds .pth files byte by byte, right or wrong: a stored zip and a protocol-2 pickle.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace spml {

template <class T>
std::string le(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

using ZipFiles = std::vector<std::pair<std::string, std::string>>;

inline std::string stored_zip(const ZipFiles& files, uint16_t method = 0, bool zip64 = false) {
  std::string zip, directory;
  for (const auto& [name, data] : files) {
    const auto size = static_cast<uint32_t>(data.size());
    const uint64_t offset = zip.size();
    zip += std::string("PK\3\4") + le<uint16_t>(20) + le<uint16_t>(0) + le(method) +
           le<uint64_t>(0) + le(size) + le(size) +
           le<uint16_t>(static_cast<uint16_t>(name.size())) + le<uint16_t>(4) + name + "FB" +
           le<uint16_t>(0) + data;
    const std::string extra = zip64
                                  ? le<uint16_t>(1) + le<uint16_t>(24) + le<uint64_t>(data.size()) +
                                        le<uint64_t>(data.size()) + le(offset)
                                  : "";
    const uint32_t moved = 0xffffffff;
    directory += std::string("PK\1\2") + le<uint32_t>(0) + le<uint16_t>(0) + le(method) +
                 le<uint64_t>(0) + le(zip64 ? moved : size) + le(zip64 ? moved : size) +
                 le<uint16_t>(static_cast<uint16_t>(name.size())) +
                 le<uint16_t>(static_cast<uint16_t>(extra.size())) + le<uint16_t>(0) +
                 le<uint64_t>(0) + le(zip64 ? moved : static_cast<uint32_t>(offset)) + name + extra;
  }
  const uint64_t begin = zip.size(), count = files.size();
  zip += directory;
  const uint64_t end64 = zip.size();
  if (zip64) {
    zip += std::string("PK\6\6") + le<uint64_t>(44) + le<uint32_t>(0) + le<uint64_t>(0) +
           le(count) + le(count) + le<uint64_t>(directory.size()) + le(begin);
    zip += std::string("PK\6\7") + le<uint32_t>(0) + le(end64) + le<uint32_t>(1);
  }
  const auto count16 = static_cast<uint16_t>(zip64 ? 0xffff : count);
  return zip + std::string("PK\5\6") + le<uint32_t>(0) + le(count16) + le(count16) +
         le(static_cast<uint32_t>(directory.size())) +
         le(zip64 ? 0xffffffff : static_cast<uint32_t>(begin)) + le<uint16_t>(0);
}

// Pieces of a pickle.
inline std::string p_text(const std::string& text) {
  return std::string("X") + le(static_cast<uint32_t>(text.size())) + text;
}
inline std::string p_int(int32_t value) { return std::string("J") + le(value); }
inline std::string p_ints(const std::vector<int32_t>& values) {
  std::string tuple = "(";
  for (const int32_t value : values) tuple += p_int(value);
  return tuple + "t";
}
inline std::string p_storage(const std::string& type, const std::string& key, int32_t elements) {
  return std::string("(") + p_text("storage") + "ctorch\n" + type + "\n" + p_text(key) +
         p_text("cpu") + p_int(elements) + "tQ";
}
inline const std::string kEmptyOrderedDict = "ccollections\nOrderedDict\n)R";
inline std::string p_tensor(const std::string& storage, int32_t offset,
                            const std::vector<int32_t>& shape,
                            const std::vector<int32_t>& strides) {
  return std::string("ctorch._utils\n_rebuild_tensor_v2\n(") + storage + p_int(offset) +
         p_ints(shape) + p_ints(strides) + "\x89" + kEmptyOrderedDict + "tR";
}
inline std::string p_program(const std::string& body) {
  return std::string("\x80\x02") + body + ".";
}

// A state dict of one tensor.
inline std::string p_state_dict(const std::string& name, const std::string& tensor) {
  return p_program(kEmptyOrderedDict + "(" + p_text(name) + tensor + "u");
}

}  // namespace spml
