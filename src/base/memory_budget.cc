#include "base/memory_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <charconv>

#include "base/control_groups.h"
#include "base/fail.h"

namespace spml {
namespace {

uint64_t left_of_limit(int resource, uint64_t used) {
  struct rlimit limit;
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return kTooMany;
  return limit.rlim_cur == RLIM_INFINITY ? kTooMany : left_of(limit.rlim_cur, used);
}

// Whether limit_memory() has said how much this process may take.
std::atomic<bool> g_limit_chosen{false};

}  // namespace

namespace memory_files {

uint64_t number_after(std::string_view text, std::string_view word) {
  return system_number(text, word);
}

uint64_t limit_of_cgroup(std::string_view text) {
  if (text.empty() || text.starts_with("max")) return kTooMany;
  return system_number(text, "");
}

std::string cgroup_of(std::string_view proc_self_cgroup) {
  return control_group_of(proc_self_cgroup, "");
}

}  // namespace memory_files

uint64_t MemoryBudget::available_memory() {
  const auto in_kib = [](const std::string& text, std::string_view word) {
    return saturating_product(memory_files::number_after(text, word), 1024);
  };
  const std::string status = read_system_file("/proc/self/status");
  const uint64_t addresses = left_of_limit(RLIMIT_AS, in_kib(status, "VmSize:"));
  const uint64_t allowed = left_of_limit(RLIMIT_DATA, in_kib(status, "VmData:"));
  if (g_limit_chosen) return std::min(allowed, addresses);
  uint64_t available = in_kib(read_system_file("/proc/meminfo"), "MemAvailable:");
  if (available == 0) available = kTooMany;  // a system that does not say
  return std::min({available, addresses, allowed, memory_left_in_control_groups()});
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
  g_limit_chosen = true;
}

}  // namespace spml
