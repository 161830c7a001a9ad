#include "base/control_groups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace spml {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Where a version is mounted, and what its files are called.
struct Version {
  std::string_view controller, root, limit, used, droppable;
};
constexpr Version kVersion2{"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr Version kVersion1{"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                            "memory.usage_in_bytes", "total_inactive_file"};

// In a container the group's own folder may be the root, so that all folders above count, too.
// Pages of files that a group would drop for us do not count as used.
uint64_t left_of_groups(const Version& version) {
  uint64_t left = kNoLimit;
  for (std::string path =
           control_group_of(read_system_file("/proc/self/cgroup"), version.controller);
       ; path.resize(path.rfind('/'))) {
    const auto file = [&](std::string_view name) {
      return read_system_file(fmt::format("{}{}/{}", version.root, path, name));
    };
    const std::string limit = file(version.limit);
    if (!limit.empty() && !limit.starts_with("max")) {
      const uint64_t held = left_of(system_number(file(version.used), ""),
                                    system_number(file("memory.stat"), version.droppable));
      left = std::min(left, left_of(system_number(limit, ""), held));
    }
    if (path.empty() || path.rfind('/') == std::string::npos) return left;
  }
}

}  // namespace

std::string read_system_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  std::string text(size_t{16} << 10, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(fd, text.data() + size, text.size() - size);
    if (n <= 0) break;
    size += static_cast<size_t>(n);
  }
  ::close(fd);
  text.resize(size);
  return text;
}

uint64_t system_number(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!line.starts_with(word)) continue;
    line.remove_prefix(word.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    uint64_t value = 0;
    std::from_chars(line.data(), line.data() + line.size(), value);
    return value;
  }
  return 0;
}

std::string control_group_of(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);  // "4:cpu,memory:/a" or "0::/a"
    const size_t names = line.find(':'), path = line.find(":/");
    if (path == std::string_view::npos || names == path) continue;
    const std::string_view list = line.substr(names + 1, path - names - 1);
    if (fmt::format(",{},", list).find(fmt::format(",{},", controller)) == std::string::npos) {
      continue;
    }
    const std::string_view group = line.substr(path + 1);
    return group == "/" ? "" : std::string(group);
  }
  return "";
}

uint64_t memory_left_in_control_groups() {
  return std::min(left_of_groups(kVersion2), left_of_groups(kVersion1));
}

}  // namespace spml
