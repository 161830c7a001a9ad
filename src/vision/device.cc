#include "vision/device.h"

#include <algorithm>
#include <string_view>

#include "base/fail.h"
#include "base/files.h"

namespace spml {
namespace {

// "cuda" or "cuda:N" with at most three digits.
bool names_card(std::string_view device) {
  if (device == "cuda") return true;
  if (!device.starts_with("cuda:")) return false;
  device.remove_prefix(5);
  return !device.empty() && device.size() <= 3 &&
         std::ranges::all_of(device, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool means_processor(const std::string& device, const std::function<bool()>& has_card,
                     const std::function<bool()>& torch_can_use_it) {
  if (device == "cpu") return true;
  if (device == "auto") return !has_card() || !torch_can_use_it();
  if (!names_card(device)) {
    fail_usage("--device: expected auto, cpu, cuda or cuda:N, found '{}'", device);
  }
  return false;
}

bool has_card() {
  return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/kfd");
}

}  // namespace spml
