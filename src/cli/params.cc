#include "cli/params.h"

#include "loss/info.h"

namespace spml::cli {

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

}  // namespace spml::cli
