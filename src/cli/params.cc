#include "cli/params.h"

#include <charconv>

#include "base/fail.h"

namespace spml::cli {
namespace {

double parse_value(const std::string& param, std::string_view text, size_t labels) {
  if (text == "L") return static_cast<double>(labels);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail_usage("--param {}: expected a number or L (the number of labels) after '=', found '{}'",
               param, text);
  }
  return value;
}

}  // namespace

Flag param_flag(std::vector<std::string>& params) {
  return {.name = "param",
          .target = &params,
          .help =
              "A parameter of the loss; the value L is the number of labels. `spml losses` "
              "lists them",
          .hint = "NAME=VALUE"};
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const LossInfo* info : all_losses()) names.emplace_back(info->name);
  for (const LossInfo* info : combined_losses()) names.emplace_back(info->name);
  return names;
}

LossParameters parse_params(const std::vector<std::string>& params, size_t labels) {
  LossParameters values;
  for (const std::string& param : params) {
    const size_t equals = param.find('=');
    if (equals == 0 || equals == std::string::npos) {
      fail_usage("--param {}: expected name=value", param);
    }
    const std::string name = param.substr(0, equals);
    const double value = parse_value(param, std::string_view(param).substr(equals + 1), labels);
    if (!values.emplace(name, value).second) fail_usage("--param {}: given twice", name);
  }
  return values;
}

}  // namespace spml::cli
