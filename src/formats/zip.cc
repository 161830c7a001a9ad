#include "formats/zip.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/fail.h"

namespace spml {
namespace {

constexpr uint32_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr uint32_t kCentral = 0x02014b50, kLocal = 0x04034b50;
constexpr size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56;
constexpr size_t kCentralSize = 46, kLocalSize = 30;
constexpr uint16_t kStored = 0, kEncrypted = 1;
constexpr uint32_t kIn64BitField = 0xffffffff;

struct Reader {
  std::span<const std::byte> bytes;
  std::string_view where;

  std::span<const std::byte> slice(uint64_t offset, uint64_t size) const {
    if (offset > bytes.size() || size > bytes.size() - offset) {
      fail("{}: damaged zip archive: {} bytes expected at {}, the file has {}", where, size, offset,
           bytes.size());
    }
    return bytes.subspan(offset, size);
  }

  template <class T>
  T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, slice(offset, sizeof(T)).data(), sizeof(T));
    return value;
  }
};

struct Directory {
  uint64_t entries = 0, offset = 0;
};

Directory find_directory(const Reader& zip) {
  const size_t size = zip.bytes.size();
  const size_t last = size < kEndSize ? 0 : size - kEndSize;
  const size_t first = last > 0xffff ? last - 0xffff : 0;  // a comment may follow the record
  for (size_t end = last + 1; size >= kEndSize && end-- > first;) {
    if (zip.at<uint32_t>(end) != kEnd) continue;
    if (end >= kLocatorSize && zip.at<uint32_t>(end - kLocatorSize) == kLocator64) {
      const auto record = zip.at<uint64_t>(end - kLocatorSize + 8);
      zip.slice(record, kEnd64Size);
      if (zip.at<uint32_t>(record) == kEnd64) {
        return {zip.at<uint64_t>(record + 32), zip.at<uint64_t>(record + 48)};
      }
    }
    return {zip.at<uint16_t>(end + 10), zip.at<uint32_t>(end + 16)};
  }
  fail("{}: expected a zip archive, found no end record", zip.where);
}

// Sizes and the offset move to the extra field, in this order, when they do not fit in 32 bits.
struct Extent {
  uint64_t unpacked, packed, offset;
};

Extent entry_extent(const Reader& zip, uint64_t entry) {
  Extent extent{zip.at<uint32_t>(entry + 24), zip.at<uint32_t>(entry + 20),
                zip.at<uint32_t>(entry + 42)};
  uint64_t extra = entry + kCentralSize + zip.at<uint16_t>(entry + 28);
  const uint64_t extra_end = extra + zip.at<uint16_t>(entry + 30);
  while (extra + 4 <= extra_end) {
    const auto id = zip.at<uint16_t>(extra), length = zip.at<uint16_t>(extra + 2);
    uint64_t field = extra + 4;
    if (id == 1) {
      for (uint64_t* value : {&extent.unpacked, &extent.packed, &extent.offset}) {
        if (*value != kIn64BitField) continue;
        *value = zip.at<uint64_t>(field);
        field += sizeof(uint64_t);
      }
    }
    extra += 4 + size_t{length};
  }
  return extent;
}

std::span<const std::byte> contents(const Reader& zip, uint64_t entry, std::string_view name) {
  const Extent extent = entry_extent(zip, entry);
  const auto flags = zip.at<uint16_t>(entry + 8), method = zip.at<uint16_t>(entry + 10);
  if (method != kStored || (flags & kEncrypted) != 0 || extent.packed != extent.unpacked) {
    fail("{}: entry '{}': expected it stored as it is, found it compressed or encrypted", zip.where,
         name);
  }
  if (zip.slice(extent.offset, kLocalSize); zip.at<uint32_t>(extent.offset) != kLocal) {
    fail("{}: damaged zip archive: no entry at byte {}", zip.where, extent.offset);
  }
  const uint64_t names = uint64_t{zip.at<uint16_t>(extent.offset + 26)} +
                         uint64_t{zip.at<uint16_t>(extent.offset + 28)};
  return zip.slice(extent.offset + kLocalSize + names, extent.packed);
}

}  // namespace

ZipEntries parse_zip(std::span<const std::byte> bytes, std::string_view where) {
  const Reader zip{bytes, where};
  const Directory directory = find_directory(zip);
  ZipEntries entries;
  uint64_t entry = directory.offset;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    zip.slice(entry, kCentralSize);
    if (zip.at<uint32_t>(entry) != kCentral) {
      fail("{}: damaged zip archive: entry {} of {} is missing", where, i, directory.entries);
    }
    const auto name_size = zip.at<uint16_t>(entry + 28);
    const auto name_bytes = zip.slice(entry + kCentralSize, name_size);
    std::string name(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
    if (!entries.emplace(name, contents(zip, entry, name)).second) {
      fail("{}: entry '{}' is listed twice", where, name);
    }
    entry += kCentralSize + size_t{name_size} + zip.at<uint16_t>(entry + 30) +
             zip.at<uint16_t>(entry + 32);
  }
  return entries;
}

}  // namespace spml
