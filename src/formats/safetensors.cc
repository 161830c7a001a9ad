#include "formats/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/all_finite.h"
#include "base/fail.h"
#include "base/float16.h"
#include "base/memory_budget.h"
#include "base/text.h"
#include "formats/json.h"

namespace spml {
namespace {

constexpr size_t kMaxHeader = 100'000'000;  // as in the reference implementation
constexpr std::string_view kMetadata = "__metadata__";

struct TypeSize {
  std::string_view name;
  size_t bytes;
};
constexpr std::array<TypeSize, 15> kTypes = {{{"BOOL", 1},
                                              {"U8", 1},
                                              {"I8", 1},
                                              {"F8_E5M2", 1},
                                              {"F8_E4M3", 1},
                                              {"I16", 2},
                                              {"U16", 2},
                                              {"F16", 2},
                                              {"BF16", 2},
                                              {"I32", 4},
                                              {"U32", 4},
                                              {"F32", 4},
                                              {"I64", 8},
                                              {"U64", 8},
                                              {"F64", 8}}};

// Bytes of a tensor of this type and shape; Error when the type is unknown or the size overflows.
size_t tensor_bytes(std::string_view dtype, std::span<const size_t> shape, std::string_view where,
                    std::string_view name) {
  const auto type = std::ranges::find(kTypes, dtype, &TypeSize::name);
  if (type == kTypes.end()) fail("{}: tensor '{}': unknown dtype '{}'", where, name, dtype);
  size_t bytes = type->bytes;
  for (const size_t dim : shape) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) {
      fail("{}: tensor '{}': its shape is larger than memory", where, name);
    }
  }
  return bytes;
}

// A member that is a list of numbers which are not negative.
std::vector<size_t> sizes(const nlohmann::json& tensor, const char* key, std::string_view where,
                          std::string_view name) {
  const auto member = tensor.find(key);
  const auto is_size = [](const nlohmann::json& x) { return x.is_number_unsigned(); };
  if (member == tensor.end() || !member->is_array() || !std::ranges::all_of(*member, is_size)) {
    fail("{}: tensor '{}': expected '{}' to be a list of whole numbers, none negative", where, name,
         key);
  }
  return member->get<std::vector<size_t>>();
}

TensorInfo parse_tensor(const std::string& name, const nlohmann::json& tensor,
                        std::span<const std::byte> data, std::string_view where) {
  if (!tensor.is_object() || tensor.size() != 3 || !tensor.contains("dtype") ||
      !tensor["dtype"].is_string()) {
    fail("{}: tensor '{}': expected dtype, shape and data_offsets", where, name);
  }
  TensorInfo info;
  info.dtype = tensor["dtype"].get<std::string>();
  info.shape = sizes(tensor, "shape", where, name);
  const std::vector<size_t> offsets = sizes(tensor, "data_offsets", where, name);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size()) {
    fail("{}: tensor '{}': expected data_offsets [begin, end] within {} bytes of data, found {}",
         where, name, data.size(), tensor["data_offsets"].dump());
  }
  info.bytes = data.subspan(offsets[0], offsets[1] - offsets[0]);
  const size_t expected = tensor_bytes(info.dtype, info.shape, where, name);
  if (info.bytes.size() != expected) {
    fail("{}: tensor '{}': expected {} bytes for its dtype and shape, found {}", where, name,
         expected, info.bytes.size());
  }
  return info;
}

// The tensors must tile the data: no byte unclaimed, none claimed twice.
void check_tiling(const std::map<std::string, TensorInfo>& tensors, std::span<const std::byte> data,
                  std::string_view where) {
  std::vector<std::span<const std::byte>> pieces;
  for (const auto& [name, info] : tensors) pieces.push_back(info.bytes);
  std::ranges::sort(pieces, [](const auto& a, const auto& b) {
    return std::pair(a.data(), a.size()) < std::pair(b.data(), b.size());
  });
  const std::byte* end = data.data();
  for (const auto& piece : pieces) {
    if (piece.data() != end) {
      fail("{}: expected tensors one after the other, found {} at byte {} of the data", where,
           piece.data() < end ? "two that overlap" : "a gap", piece.data() - data.data());
    }
    end += piece.size();
  }
  if (end != data.data() + data.size()) {
    fail("{}: expected tensors to cover {} bytes of data, found {}", where, data.size(),
         end - data.data());
  }
}

template <class Bits, class Convert>
std::vector<float> convert(std::span<const std::byte> bytes, Convert to_float) {
  std::vector<float> values(bytes.size() / sizeof(Bits));
  for (size_t i = 0; i < values.size(); ++i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
    values[i] = to_float(bits);
  }
  return values;
}

}  // namespace

size_t TensorInfo::elements() const {
  size_t n = 1;
  for (const size_t dim : shape) n *= dim;
  return n;
}

void parse_safetensors(std::span<const std::byte> bytes, std::string_view where,
                       std::map<std::string, TensorInfo>& tensors,
                       std::map<std::string, std::string>& metadata) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) {
    fail("{}: expected a safetensors file, found {} bytes", where, bytes.size());
  }
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes = bytes.subspan(sizeof(length));
  if (length > kMaxHeader || length > bytes.size()) {
    fail("{}: expected a safetensors header of at most {} bytes, its length says {}", where,
         std::min(kMaxHeader, bytes.size()), length);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), length);
  const std::span<const std::byte> data = bytes.subspan(length);
  if (!text.starts_with('{')) fail("{}: expected a safetensors header, found no '{{'", where);
  const nlohmann::json header = parse_json(text, where);

  tensors.clear();
  metadata.clear();
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadata) {
      tensors.emplace(name, parse_tensor(name, value, data, where));
      continue;
    }
    const auto is_text = [](const nlohmann::json& x) { return x.is_string(); };
    if (!value.is_object() || !std::ranges::all_of(value, is_text)) {
      fail("{}: expected {} to map names to text", where, kMetadata);
    }
    metadata = value.get<std::map<std::string, std::string>>();
  }
  check_tiling(tensors, data, where);
}

SafetensorsFile::SafetensorsFile(const Path& path) : file_(path) {
  parse_safetensors(file_.bytes(), path.string(), tensors_, metadata_);
}

bool SafetensorsFile::contains(std::string_view name) const {
  return tensors_.contains(std::string(name));
}

const TensorInfo& SafetensorsFile::tensor(std::string_view name) const {
  const auto found = tensors_.find(std::string(name));
  if (found != tensors_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, info] : tensors_) names.push_back(known);
  fail("{}: expected a tensor '{}', found none of that name{}", path().string(), name,
       did_you_mean(name, names));
}

std::vector<float> SafetensorsFile::floats(std::string_view name) const {
  const TensorInfo& info = tensor(name);
  // The bytes may be a hole: the size of the file bounds no memory.
  MemoryBudget().require(saturating_product(info.elements(), sizeof(float)),
                         fmt::format("{}: tensor '{}'", path().string(), name));
  if (info.dtype == "F32") return convert<float>(info.bytes, [](float x) { return x; });
  if (info.dtype == "F16") return convert<uint16_t>(info.bytes, half_to_float);
  if (info.dtype == "BF16") {
    return convert<uint16_t>(info.bytes, [](uint16_t bits) {
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    });
  }
  if (info.dtype == "F64") {
    return convert<double>(info.bytes, [](double x) { return static_cast<float>(x); });
  }
  fail("{}: tensor '{}': expected F32, F16, BF16 or F64, found {}", path().string(), name,
       info.dtype);
}

void read_exactly(const SafetensorsFile& file, std::string_view name, std::span<std::byte> out) {
  const auto bytes = file.tensor(name).bytes;
  if (bytes.size() != out.size()) {
    fail("{}: expected {} bytes in '{}', found {}; start again with --overwrite",
         file.path().string(), out.size(), name, bytes.size());
  }
  std::ranges::copy(bytes, out.begin());
}

uint64_t metadata_number(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  uint64_t number = 0;
  if (found != file.metadata().end()) {
    const char* end = found->second.data() + found->second.size();
    const auto [rest, error] = std::from_chars(found->second.data(), end, number);
    if (error == std::errc() && rest == end) return number;
  }
  fail("{}: expected a whole number '{}' in its metadata, found {}", file.path().string(), key,
       found == file.metadata().end() ? "none" : "something else");
}

void SafetensorsWriter::add(std::string name, std::string_view dtype, std::vector<size_t> shape,
                            std::span<const std::byte> bytes) {
  if (name == kMetadata || std::ranges::find(entries_, name, &Entry::name) != entries_.end()) {
    fail("safetensors: expected each tensor name once, found '{}' again", name);
  }
  const size_t expected = tensor_bytes(dtype, shape, "safetensors", name);
  if (bytes.size() != expected) {
    fail("safetensors: tensor '{}': expected {} bytes for its dtype and shape, found {}", name,
         expected, bytes.size());
  }
  entries_.push_back({std::move(name), std::string(dtype), std::move(shape), bytes});
}

void SafetensorsWriter::add(std::string name, std::vector<size_t> shape,
                            std::span<const float> values) {
  add(std::move(name), "F32", std::move(shape), std::as_bytes(values));
}

void SafetensorsWriter::add_metadata(std::string key, std::string value) {
  metadata_[std::move(key)] = std::move(value);
}

void SafetensorsWriter::expect_finite(const Path& path) const {
  for (const Entry& entry : entries_) {
    if (entry.dtype != "F32") continue;
    const auto* values = reinterpret_cast<const float*>(entry.bytes.data());
    if (all_finite({values, entry.bytes.size() / sizeof(float)})) continue;
    fail("{}: expected finite numbers to write as '{}', found others", path.string(), entry.name);
  }
}

void SafetensorsWriter::write(const Path& path) const {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata_.empty()) header[kMetadata] = metadata_;
  size_t offset = 0;
  for (const Entry& entry : entries_) {
    header[entry.name] = {{"dtype", entry.dtype},
                          {"shape", entry.shape},
                          {"data_offsets", {offset, offset + entry.bytes.size()}}};
    offset += entry.bytes.size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    fail("{}: expected names and metadata in UTF-8", path.string());
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  AtomicFile file(path);
  file.write(&length, sizeof(length));
  file.write(text);
  for (const Entry& entry : entries_) file.write(entry.bytes.data(), entry.bytes.size());
  file.commit();
}

}  // namespace spml
