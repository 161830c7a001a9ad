#include "vision/partial_features.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fail.h"
#include "base/float16.h"
#include "base/folders.h"
#include "formats/json.h"
#include "formats/npy.h"

namespace spml {
namespace {

constexpr size_t kMaxJournal = size_t{1} << 26;

Path hidden(const Path& file, const char* ending) {
  return file.parent_path() / fmt::format(".{}{}", file.stem().string(), ending);
}

[[noreturn]] void fail_errno(const Path& path, const char* what) {
  fail("{}: cannot {}: {}", path.string(), what, std::strerror(errno));
}

void write_all(int fd, const void* data, size_t bytes, const Path& path) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(fd, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno(path, "write");
    p += n;
    bytes -= static_cast<size_t>(n);
  }
}

// From 0 to `most`. A number with a fraction or an exponent is none: converting it may overflow.
size_t whole_number(const nlohmann::json& json, size_t most) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > most) {
    fail("expected a whole number from 0 to {}, found {}", most, json.dump());
  }
  return json.get<size_t>();
}

}  // namespace

PartialFeatures::PartialFeatures(const Path& file, Shape shape, nlohmann::json settings,
                                 bool replace)
    : file_(file),
      partial_(hidden(file, ".partial")),
      journal_(hidden(file, ".journal")),
      shape_(shape),
      settings_(std::move(settings)),
      header_(make_npy_header(shape.half ? DType::kF16 : DType::kF32, shape.half ? 2 : 4,
                              std::array{shape.rows, shape.cols})) {
  if (!resume()) {
    done_ = 0;
    skipped_.clear();
  }
  if (placed_) return;
  expect_replaceable(file_);
  if (!replace && path_exists(file_)) {
    fail("{}: exists already; --force replaces it", file_.string());
  }
}

PartialFeatures::~PartialFeatures() {
  if (fd_ >= 0) ::close(fd_);
}

// Rows beyond those in the journal are cut off: a kill may have left any part of them.
bool PartialFeatures::resume() {
  if (!path_exists(journal_)) return false;
  size_t rows = 0;
  std::vector<SkippedImage> skipped;
  try {
    const auto journal = parse_json(read_file(journal_, kMaxJournal), journal_.string());
    if (journal.at("settings") != settings_) return false;
    rows = whole_number(journal.at("rows"), shape_.rows);
    for (const auto& item : journal.at("skipped")) {
      skipped.push_back({whole_number(item.at("row"), shape_.rows),
                         item.at("image").get<std::string>(),
                         item.at("reason").get<std::string>()});
    }
  } catch (const std::exception&) {
    return false;  // not a journal of ours: start afresh
  }
  done_ = rows;
  skipped_ = std::move(skipped);
  // A link is not followed, nor is a file written to that also has another name: a folder from
  // elsewhere would decide what is overwritten.
  fd_ = ::open(partial_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0 && errno == ENOENT) {
    placed_ = rows == shape_.rows && path_exists(file_);
    return placed_;
  }
  if (fd_ < 0) return false;
  const size_t bytes = header_.size() + rows * row_bytes();
  struct stat info;
  if (::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1 ||
      static_cast<size_t>(info.st_size) < bytes ||
      ::ftruncate(fd_, static_cast<off_t>(bytes)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0) {
    ::close(std::exchange(fd_, -1));
    return false;
  }
  return true;
}

void PartialFeatures::start() {
  remove_file(journal_);
  remove_file(partial_);
  fd_ = create_new_file(partial_);
  write_all(fd_, header_.data(), header_.size(), partial_);
}

void PartialFeatures::append(View<const float> rows) {
  if (rows.cols != shape_.cols || rows.rows > shape_.rows - done_) {
    fail("expected at most {} rows of {} features, found {} x {}", shape_.rows - done_, shape_.cols,
         rows.rows, rows.cols);
  }
  if (fd_ < 0) start();
  if (shape_.half) {
    std::vector<uint16_t> halves;
    for (const float x : rows.flat()) {
      halves.push_back(float_to_half(x));
      if ((halves.back() & kHalfExponent) != kHalfExponent) continue;
      fail("{}: expected features that f16 can hold, up to 65504, found {}; give --dtype f32",
           file_.string(), x);
    }
    write_all(fd_, halves.data(), halves.size() * sizeof(uint16_t), partial_);
  } else {
    write_all(fd_, rows.data, rows.size() * sizeof(float), partial_);
  }
  done_ += rows.rows;
}

void PartialFeatures::sync() {
  if (placed_) return;
  if (fd_ < 0) start();
  if (::fdatasync(fd_) != 0) fail_errno(partial_, "flush to disk");
  nlohmann::json skipped = nlohmann::json::array();
  for (const SkippedImage& s : skipped_) {
    skipped.push_back({{"row", s.row}, {"image", s.image}, {"reason", s.reason}});
  }
  const nlohmann::json journal{{"settings", settings_}, {"rows", done_}, {"skipped", skipped}};
  write_file(journal_, journal.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void PartialFeatures::place() {
  if (placed_) return;
  if (done_ != shape_.rows) fail("expected {} rows, found {}", shape_.rows, done_);
  sync();
  expect_replaceable(file_);
  if (::rename(partial_.c_str(), file_.c_str()) != 0) fail_errno(file_, "put in place");
  placed_ = true;
}

void PartialFeatures::forget() { remove_file(journal_); }

}  // namespace spml
