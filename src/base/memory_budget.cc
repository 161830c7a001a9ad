#include "base/memory_budget.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/fail.h"

namespace spml {
namespace {

// The files of /proc and /sys say that they have no size: they are read, not mapped. "" when there
// is no such file.
std::string read_small_file(const std::string& path) {
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

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

uint64_t leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

uint64_t left_of(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

uint64_t left_of_limit(int resource, uint64_t used) {
  struct rlimit limit;
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return kTooMany;
  return limit.rlim_cur == RLIM_INFINITY ? kTooMany : left_of(limit.rlim_cur, used);
}

// What is left of the tightest of the groups that this process is in. Pages of files that a group
// would drop for us do not count as used.
uint64_t left_of_cgroups() {
  const std::string group = memory_files::cgroup_of(read_small_file("/proc/self/cgroup"));
  const std::string root = "/sys/fs/cgroup";
  uint64_t left = kTooMany;
  for (std::string path = group;; path.resize(path.rfind('/'))) {
    const std::string folder = root + path;
    const std::string limit = read_small_file(folder + "/memory.max");
    if (!limit.empty()) {
      const uint64_t used = leading_number(read_small_file(folder + "/memory.current"));
      const std::string stat = read_small_file(folder + "/memory.stat");
      const uint64_t held = left_of(used, memory_files::number_after(stat, "inactive_file"));
      left = std::min(left, left_of(memory_files::limit_of_cgroup(limit), held));
    }
    if (path.empty() || path.rfind('/') == std::string::npos) break;
  }
  return left;
}

}  // namespace

namespace memory_files {

uint64_t number_after(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with(word)) return leading_number(line.substr(word.size()));
  }
  return 0;
}

uint64_t limit_of_cgroup(std::string_view text) {
  if (text.empty() || text.starts_with("max")) return kTooMany;
  return leading_number(text);
}

std::string cgroup_of(std::string_view proc_self_cgroup) {
  while (!proc_self_cgroup.empty()) {
    const std::string_view line = next_line(proc_self_cgroup);
    if (line.starts_with("0::/")) return line == "0::/" ? "" : std::string(line.substr(3));
  }
  return "";
}

}  // namespace memory_files

uint64_t MemoryBudget::available_memory() {
  const auto in_kib = [](const std::string& text, std::string_view word) {
    return saturating_product(memory_files::number_after(text, word), 1024);
  };
  const std::string status = read_small_file("/proc/self/status");
  const uint64_t addresses = left_of_limit(RLIMIT_AS, in_kib(status, "VmSize:"));
  const uint64_t allowed = left_of_limit(RLIMIT_DATA, in_kib(status, "VmData:"));
  if (allowed != kTooMany) return std::min(allowed, addresses);
  uint64_t available = in_kib(read_small_file("/proc/meminfo"), "MemAvailable:");
  if (available == 0) available = kTooMany;  // a system that does not say
  return std::min({available, addresses, left_of_cgroups()});
}

MemoryBudget MemoryBudget::share(uint64_t parts) const {
  MemoryBudget part = *this;
  part.bytes_ = bytes_ / std::max<uint64_t>(1, parts);
  return part;
}

MemoryBudget MemoryBudget::less(uint64_t bytes) const {
  MemoryBudget rest = *this;
  rest.bytes_ = left_of(bytes_, bytes);
  return rest;
}

void MemoryBudget::require(uint64_t bytes, std::string_view what) const {
  if (bytes <= bytes_) return;
  if (chosen_) {
    fail("{} needs {} of memory, and --max-memory allows {}; raise it", what, size_text(bytes),
         size_text(bytes_));
  }
  fail("{} needs {} of memory, and {} is available; --max-memory sets another limit", what,
       size_text(bytes), size_text(bytes_));
}

void MemoryMeter::refuse() const {
  fail("{} need more than {} of memory, all that is available; --max-memory sets another limit",
       what_, size_text(memory_.bytes()));
}

std::string size_text(uint64_t bytes) {
  if (bytes == kTooMany) return "more than any machine has";
  constexpr const char* kUnits[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
  double size = static_cast<double>(bytes);
  size_t unit = 0;
  for (; size >= 1000 && unit + 1 < std::size(kUnits); ++unit) size /= 1000;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

uint64_t parse_size(std::string_view text, std::string_view where) {
  constexpr std::string_view kUnits = "KMGT";
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && number > 0) {
    if (rest == end) return number;
    const size_t unit = kUnits.find(*rest);
    if (rest + 1 == end && unit != std::string_view::npos) {
      for (size_t i = 0; i <= unit; ++i) number = saturating_product(number, 1000);
      return number;
    }
  }
  fail_usage("{}: expected a size such as 500M or 8G, found '{}'", where, text);
}

void limit_memory(uint64_t bytes) {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace spml
