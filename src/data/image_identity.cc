#include "data/image_identity.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/fail.h"
#include "base/folders.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "formats/npy.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBytes = 48;

ContentHash from_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  ContentHash hash;
  for (size_t i = 0; i < hash.size(); ++i) {
    hash[i] = static_cast<uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  }
  return hash;
}

std::string key_of(const ContentHash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

void put_number(uint64_t number, std::span<int8_t> out) {
  for (size_t i = 0; i < 8; ++i) out[i] = static_cast<int8_t>(number >> (8 * i) & 0xFF);
}

uint64_t get_number(std::span<const int8_t> bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i) number |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return number;
}

}  // namespace

Path identity_file(const Path& features) {
  Path file = features;
  file.replace_extension();
  file += "_rows.npy";
  return file;
}

void write_identities(const Path& file, const std::vector<ImageIdentity>& identities) {
  NpyRowWriter writer(file, DType::kI8, identities.size(), kBytes);
  std::array<int8_t, kBytes> row{};
  for (const ImageIdentity& identity : identities) {
    std::memcpy(row.data(), identity.name.data(), 16);
    std::memcpy(row.data() + 16, identity.content.data(), 16);
    put_number(identity.bytes, std::span(row).subspan(32, 8));
    put_number(identity.modified, std::span(row).subspan(40, 8));
    writer.append(std::span<const int8_t>(row));
  }
  writer.finish();
}

std::optional<std::vector<ImageIdentity>> read_identities(const Path& file) {
  if (!path_exists(file)) return {};
  const NpyArray array(file);
  if (array.header().dtype != DType::kI8 || array.cols() != kBytes) return {};
  std::vector<ImageIdentity> identities(array.rows());
  std::array<int8_t, kBytes> row{};
  for (size_t i = 0; i < identities.size(); ++i) {
    array.read_row(i, std::span<int8_t>(row));
    std::memcpy(identities[i].name.data(), row.data(), 16);
    std::memcpy(identities[i].content.data(), row.data() + 16, 16);
    identities[i].bytes = get_number(std::span(row).subspan(32, 8));
    identities[i].modified = get_number(std::span(row).subspan(40, 8));
  }
  return identities;
}

void IdentityIndex::add(const std::vector<ImageIdentity>& identities) {
  for (const ImageIdentity& identity : identities) {
    identities_.push_back(identity);
    if (!identity.known()) continue;
    by_content_.emplace(key_of(identity.content), identities_.size() - 1);
    by_name_.emplace(key_of(identity.name), identities_.size() - 1);
  }
}

std::optional<size_t> IdentityIndex::row_of(const ImageIdentity& identity) const {
  if (!identity.known()) return {};
  const auto found = by_content_.find(key_of(identity.content));
  if (found == by_content_.end()) return {};
  return found->second;
}

const ImageIdentity* IdentityIndex::unchanged(const ImageIdentity& identity) const {
  const auto found = by_name_.find(key_of(identity.name));
  if (found == by_name_.end()) return nullptr;
  const ImageIdentity& earlier = identities_[found->second];
  const bool same = earlier.bytes == identity.bytes && earlier.modified == identity.modified;
  return same ? &earlier : nullptr;
}

std::optional<ImageIdentity> stat_image(const Path& file, std::string_view name) {
  std::error_code error;
  ImageIdentity identity;
  identity.bytes = fs::file_size(file, error);
  if (error) return {};
  identity.modified =
      static_cast<uint64_t>(fs::last_write_time(file, error).time_since_epoch().count());
  if (error) return {};
  identity.name = from_hex(sha256(std::as_bytes(std::span(name.data(), name.size()))));
  return identity;
}

std::vector<ImageIdentity> identify_images(const std::vector<Path>& files,
                                           const std::vector<std::string>& names,
                                           const IdentityIndex& earlier, int threads) {
  std::vector<ImageIdentity> identities(files.size());
  parallel_for(files.size(), threads, [&](size_t i) {
    const auto identity = stat_image(files[i], names[i]);
    if (!identity) return;
    identities[i] = *identity;
    const ImageIdentity* same = earlier.unchanged(*identity);
    try {
      identities[i].content = same != nullptr ? same->content : from_hex(sha256_of_file(files[i]));
    } catch (const Error&) {
      identities[i] = {};  // whoever decodes it says what is wrong
    }
  });
  return identities;
}

}  // namespace spml
