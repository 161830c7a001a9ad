// How much memory may be used for what a file asks for. Sizes that come from a file are checked
// against a budget before anything is allocated; the budget is passed down by whoever knows it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace spml {

class MemoryBudget {
 public:
  // What this process can still get, less an eighth: the least of the machine's available memory,
  // the limits of its control groups and its own limit (ulimit -v); or what limit_memory() or
  // ulimit -d says.
  MemoryBudget() : bytes_(available_memory() / 8 * 7) {}
  // As many bytes as the user says, whatever the machine has.
  explicit MemoryBudget(uint64_t bytes) : bytes_(bytes), chosen_(true) {}

  uint64_t bytes() const { return bytes_; }
  // A part of it, for one of `parts` that work at the same time.
  MemoryBudget share(uint64_t parts) const;
  // What is left of it when so many bytes are taken.
  MemoryBudget less(uint64_t bytes) const;

  // Error unless `bytes` fit: "WHAT needs 9.6 GB of memory, ...", naming the flag that raises it.
  void require(uint64_t bytes, std::string_view what) const;

  // The bytes this process can still get; the largest number where nothing limits it.
  static uint64_t available_memory();

 private:
  uint64_t bytes_;
  bool chosen_ = false;
};

// For what grows while a file is read, since nobody can tell before what it will come to.
class MemoryMeter {
 public:
  // `what` begins the message: "FILE: its rows".
  explicit MemoryMeter(std::string what, const MemoryBudget& memory = {})
      : what_(std::move(what)), left_(memory.bytes()), memory_(memory) {}

  // Before so many more bytes are taken; Error when they do not fit.
  void add(uint64_t bytes) {
    if (bytes > left_) refuse();
    left_ -= bytes;
  }
  void release(uint64_t bytes) { left_ += bytes; }

 private:
  [[noreturn]] void refuse() const;

  std::string what_;
  uint64_t left_;
  MemoryBudget memory_;
};

// Products and sums of sizes that stay at the largest number instead of wrapping around, so that
// they can be checked afterwards.
constexpr uint64_t kTooMany = std::numeric_limits<uint64_t>::max();

template <class... More>
constexpr uint64_t saturating_product(uint64_t first, More... more) {
  uint64_t product = first;
  ((product = __builtin_mul_overflow(product, static_cast<uint64_t>(more), &product) ? kTooMany
                                                                                     : product),
   ...);
  return product;
}

template <class... More>
constexpr uint64_t saturating_sum(uint64_t first, More... more) {
  uint64_t sum = first;
  ((sum = __builtin_add_overflow(sum, static_cast<uint64_t>(more), &sum) ? kTooMany : sum), ...);
  return sum;
}

// "9.6 GB", for messages.
std::string size_text(uint64_t bytes);

// "8G", "500M", "123456": bytes; Error of kind kUsage, which begins with `where`, for anything
// else.
uint64_t parse_size(std::string_view text, std::string_view where);

// From now on this process gets no more than so many bytes (its limit RLIMIT_DATA), and budgets
// count on that much, whatever else the machine says. For programs, at their start.
void limit_memory(uint64_t bytes);

// Readers of the files that available_memory() looks at.
namespace memory_files {
// The number behind a line's first word; 0 when there is no such line.
uint64_t number_after(std::string_view text, std::string_view word);
uint64_t limit_of_cgroup(std::string_view memory_max);     // a number or "max"
std::string cgroup_of(std::string_view proc_self_cgroup);  // version 2: "/a/b"; "" at the root
}  // namespace memory_files

}  // namespace spml
