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

void add_params(CLI::App& verb, std::vector<std::string>& params) {
  verb.add_option("--param", params,
                  "A parameter of the loss, name=value; the value L is the number of labels. "
                  "`spml losses` lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
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
