// How long the other ranks have said nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace spml {

class Silence {
 public:
  // Of ranks 0 to `ranks` - 1, which may be silent for `limit` seconds; rank 0 may be for ever
  // where it is the one that listens.
  Silence(size_t ranks, double limit) : seconds_(ranks), limit_(limit) {}

  void broken(size_t rank) { seconds_[rank] = 0; }

  // To be asked often. A process that did not run itself, since the whole job was stopped and
  // continued, has not listened: what it missed does not count.
  bool is_too_long() {
    constexpr double kLongestStep = 0.1;
    const auto now = std::chrono::steady_clock::now();
    const double step = std::min(std::chrono::duration<double>(now - last_).count(), kLongestStep);
    last_ = now;
    for (size_t r = seconds_.size() > 1 ? 1 : 0; r < seconds_.size(); ++r) {
      if ((seconds_[r] += step) > limit_) return true;
    }
    return false;
  }

 private:
  std::vector<double> seconds_;
  double limit_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace spml
