// The control groups of Linux that limit this process's memory, of version 1 and 2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spml {

// What remains of a limit, 0 when it is exceeded.
inline uint64_t left_of(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

// What is left of the tightest of the groups that this process is in; the largest number where
// none has a limit.
uint64_t memory_left_in_control_groups();

// The group of a controller in the text of /proc/self/cgroup: "/a/b"; "" at the root or without
// one. Groups of version 2 are for all controllers, under the name "".
std::string control_group_of(std::string_view proc_self_cgroup, std::string_view controller);

// The files of /proc and /sys say that they have no size: they are read, not mapped. "" when there
// is no such file.
std::string read_system_file(const std::string& path);
// The number behind a line's first word; 0 when there is no such line.
uint64_t system_number(std::string_view text, std::string_view word);

}  // namespace spml
