#include "vision/weights/tar.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/fail.h"

namespace spml {
namespace {

constexpr size_t kBlock = 512;

struct CloseGz {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

class GzReader {
 public:
  GzReader(const Path& path, size_t max_bytes)
      : where_(path.string()), file_(gzopen(path.c_str(), "rb")), left_(max_bytes) {
    if (!file_) fail("{}: cannot open", where_);
  }

  std::string take(size_t size) {
    if (size > left_) fail("{}: the archive unpacks to more than expected", where_);
    left_ -= size;
    std::string bytes(size, '\0');
    if (gzread(file_.get(), bytes.data(), static_cast<unsigned>(size)) != static_cast<int>(size)) {
      fail("{}: the archive is damaged or cut short", where_);
    }
    return bytes;
  }

 private:
  std::string where_;
  std::unique_ptr<gzFile_s, CloseGz> file_;
  size_t left_;
};

// A text field, which ends at a zero byte or at its full width.
std::string_view field(const std::string& header, size_t offset, size_t width) {
  const std::string_view text = std::string_view(header).substr(offset, width);
  return text.substr(0, text.find('\0'));
}

size_t octal(std::string_view text, std::string_view where) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  size_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data() + begin, text.data() + text.size(), value, 8);
  if (error != std::errc()) fail("{}: not a tar archive", where);
  return value;
}

}  // namespace

std::map<std::string, std::string> read_tar_gz(const Path& path, std::string_view prefix,
                                               size_t max_bytes) {
  GzReader archive(path, max_bytes);
  std::map<std::string, std::string> files;
  while (true) {
    const std::string header = archive.take(kBlock);
    if (std::ranges::all_of(header, [](char c) { return c == '\0'; })) return files;
    const size_t size = octal(field(header, 124, 12), path.string());
    if (size > max_bytes) fail("{}: the archive unpacks to more than expected", path.string());
    std::string contents = archive.take((size + kBlock - 1) / kBlock * kBlock);
    contents.resize(size);
    const char type = header[156];
    const std::string_view name = field(header, 0, 100);
    if ((type == '0' || type == '\0') && name.starts_with(prefix)) {
      files[std::string(name)] = std::move(contents);
    }
  }
}

}  // namespace spml
