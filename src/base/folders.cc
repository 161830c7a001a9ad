#include "base/folders.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/fail.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

fs::file_status status_of(const Path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) {
    fail("{}: cannot look it up: {}", path.string(), error.message());
  }
  return status;
}

}  // namespace

bool path_exists(const Path& path) { return fs::exists(status_of(path)); }

bool is_folder(const Path& path) { return fs::is_directory(status_of(path)); }

bool is_empty_folder(const Path& path) { return is_folder(path) && list_folder(path).empty(); }

bool is_link(const Path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

void make_folder(const Path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail("{}: cannot create the folder: {}", path.string(), error.message());
}

void make_folder_inside(const Path& path) {
  if (is_link(path)) {
    fail("{}: expected a folder to write to, found a symbolic link; remove it first",
         path.string());
  }
  make_folder(path);
}

std::vector<Path> list_folder(const Path& path) {
  std::error_code error;
  std::vector<Path> entries;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) fail("{}: cannot read the folder: {}", path.string(), error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<Path> list_files_below(const Path& path) {
  std::error_code error;
  std::vector<Path> files;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;  // what cannot be looked at is no file
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) fail("{}: cannot read the folder: {}", path.string(), error.message());
  std::sort(files.begin(), files.end());
  return files;
}

Path absolute_path(const Path& path) {
  std::error_code error;
  const Path whole = fs::absolute(path, error);
  if (error) fail("{}: cannot look it up: {}", path.string(), error.message());
  return whole.lexically_normal();
}

void remove_file(const Path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) fail("{}: cannot remove: {}", path.string(), error.message());
}

void rename_path(const Path& from, const Path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail("{}: cannot put it in place: {}", to.string(), error.message());
}

void sync_folder(const Path& path) {
  const Path folder = path.empty() ? Path(".") : path;
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // some file systems refuse to sync folders; the rename stands
  ::fsync(fd);
  ::close(fd);
}

bool stays_inside(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string_view::npos) {
    return false;
  }
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

Path path_inside(const Path& folder, std::string_view name, std::string_view where) {
  if (!stays_inside(name)) {
    fail("{}: expected the name of a file below {}, found '{}'", where,
         folder.empty() ? "." : folder.string(), name.substr(0, 200));
  }
  return folder / name;
}

std::string unpredictable_name() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    std::random_device device;
    number = uint64_t{device()} << 32 | device();
  }
  return fmt::format("{:016x}", number);
}

}  // namespace spml
