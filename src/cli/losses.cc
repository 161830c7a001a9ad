// spml losses: the loss table.
#include <fmt/core.h>

#include <memory>

#include "cli/print_json.h"
#include "cli/verbs.h"
#include "loss/document.h"

namespace spml::cli {
namespace {

Json to_json(const LossParameter& parameter) {
  Json json = {{"name", parameter.name}};
  if (parameter.default_text.empty()) {
    json["default"] = parameter.default_value;
  } else {
    json["default"] = parameter.default_text;
  }
  json["min"] = parameter.min;
  json["max"] = parameter.max;  // null if unbounded
  json["help"] = parameter.help;
  return json;
}

Json to_json(const LossInfo& info) {
  Json params = Json::array();
  for (const LossParameter& parameter : info.params) params.push_back(to_json(parameter));
  return {{"name", info.name},
          {"summary", info.summary},
          {"needs", to_string(info.needs)},
          {"needs_k", info.needs_k},
          {"uses_estimates", info.uses_estimates},
          {"closed_form", info.closed_form},
          {"relabels", info.memory.labels},
          {"uses_soft_labels", info.memory.soft_labels},
          {"uses_priors", info.memory.priors},
          {"formula", info.formula},
          {"negatives", info.negatives},
          {"source", info.source},
          {"params", std::move(params)}};
}

void print_losses_json() {
  Json losses = Json::array();
  for (const LossInfo* info : all_losses()) losses.push_back(to_json(*info));
  Json combined = Json::array();
  for (const LossInfo* info : combined_losses()) combined.push_back(info->name);
  print_json({{"losses", std::move(losses)}, {"combined", std::move(combined)}});
}

void print_table() {
  for (const LossInfo* info : all_losses()) {
    fmt::print("{:<12} {}\n{:<12} needs {}{}\n", info->name, info->summary, "",
               to_string(info->needs), info->needs_k ? " and k" : "");
    for (const LossParameter& parameter : info->params) {
      fmt::print("{:<12}   {:<18} {:<8} {:<11} {}\n", "", parameter.name, default_text(parameter),
                 range_text(parameter), parameter.help);
    }
  }
  fmt::print("{:<12} role's label estimates around any other loss X above: role+em, role+an, ...\n",
             "role+X");
}

}  // namespace

Verb losses_verb() {
  struct Flags {
    Common common;
    bool markdown = false;
  };
  const auto flags = std::make_shared<Flags>();
  return {.name = "losses",
          .summary = "Every loss: parameters, defaults, what labels it needs",
          .flags = {{.name = "markdown",
                     .target = &flags->markdown,
                     .help = "Print docs/losses.md",
                     .excludes = {"json"}}},
          .common = &flags->common,
          .run =
              [flags] {
                if (flags->common.json) {
                  print_losses_json();
                } else if (flags->markdown) {
                  fmt::print("{}", losses_markdown());
                } else {
                  print_table();
                }
              },
          .verbs = {losses_eval_verb()}};
}

}  // namespace spml::cli
