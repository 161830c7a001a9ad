#include "cli/expected.h"

#include <fmt/core.h>

#include "base/text.h"

namespace spml::cli {
namespace {

constexpr size_t kWeakest = 5;

std::string percent(const Expected& share) {
  return fmt::format("{:.0f} % ({:.0f} to {:.0f})", 100 * share.value, 100 * share.low,
                     100 * share.high);
}

}  // namespace

void print_expected(const ExpectedQuality& expected, const std::vector<std::string>& classes) {
  fmt::print("expected on new rows: precision {}  recall {}  F1 {}\n", percent(expected.precision),
             percent(expected.recall), percent(expected.f1));
  fmt::print("labels decided per row {:.2f} ({:.2f} to {:.2f})  known labels found {}\n",
             expected.tags.value, expected.tags.low, expected.tags.high, percent(expected.found));
  std::string weakest;
  for (const size_t label : weakest_labels(expected, kWeakest)) {
    if (label >= classes.size()) continue;
    weakest += fmt::format("{}{} {:.0f} %", weakest.empty() ? "" : ", ", printable(classes[label]),
                           100 * expected.label_f1[label]);
  }
  fmt::print("weakest by expected F1: {}\n", weakest);
  if (expected.complete_rows > 0) {
    fmt::print("learnt from {} held-out rows, {} of them complete\n", expected.rows,
               expected.complete_rows);
    return;
  }
  fmt::print("learnt from {} held-out rows, as if a random label of each were named\n",
             expected.rows);
  fmt::print(
      "the ranges allow for annotators who name what is evident; fifty complete rows would settle "
      "it\n");
}

}  // namespace spml::cli
