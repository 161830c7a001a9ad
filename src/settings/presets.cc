#include "settings/presets.h"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/fail.h"
#include "base/text.h"

namespace spml {
namespace {

constexpr Preset kPresets[] = {
    {.name = "voc12-one-label",
     .summary =
         "the best recipe found on VOC12 for one positive label per row; on other data it may "
         "do worse than an",
     .evidence =
         "VOC12, ResNet-50 features, 3 seeds: test MAP 86.67 +- 0.04 from one label per row; BCE "
         "with all labels 86.49 on the paper's grid, 87.22 +- 0.02 with the same transform and "
         "weight decay (docs/benchmark.md)",
     .flags = R"({"loss": "role+em", "lr": 4e-3, "batch": 64, "epochs": 25, "transform": "sqrt",
                  "weight-decay": 1e-4, "param": {"positive_scale": 1, "estimate_lr_factor": 10,
                  "estimate_start": 0.5, "alpha": 0.2}})"},
    {.name = "paper-code",
     .summary = "role with the settings of the code released with the paper, on fixed features",
     .evidence = "VOC12, ResNet-50 features, 3 seeds: test MAP 84.95 +- 0.17; role as it is by "
                 "default 85.7 (docs/role.md)",
     .flags = R"({"loss": "role", "lr": 1e-4, "batch": 16, "epochs": 25, "param":
                  {"positive_scale": 1, "estimate_lr_factor": 10, "estimate_start": 0.5}})"},
    {.name = "paper-text",
     .summary = "role as the paper's text writes it, on fixed features",
     .evidence = "VOC12, ResNet-50 features, 3 seeds: test MAP 85.55 +- 0.02 (docs/role.md)",
     .flags = R"({"loss": "role", "lr": 1e-4, "batch": 8, "epochs": 25, "param":
                  {"positive_scale": "L", "estimate_lr_factor": 10, "estimate_start": 0.5}})"},
    {.name = "paper-finetune",
     .summary = "a whole network trained as the paper trains it, with any loss",
     .evidence = "VOC12 in the paper, 448 px: test MAP 87.9 with role, 85.1 with an, 89.1 with bce "
                 "and all labels; not run here",
     .flags = R"({"mode": "finetune", "lr": 1e-5, "batch": 16, "size": 448, "train-from": "conv1",
                  "schedule": "constant", "warmup": 0, "head-lr-factor": 1, "freeze-bn": false})"},
    {.name = "em-voc",
     .summary = "em with its authors' weight for VOC",
     .evidence = "test MAP on fixed features: VOC12 85.9, coco-mini 42.0 (44.3 with em-coco)",
     .flags = R"({"loss": "em", "param": {"alpha": 0.2}})"},
    {.name = "em-coco",
     .summary = "em with its authors' weight for COCO and NUS-WIDE",
     .evidence = "test MAP on fixed features: coco-mini 44.3, VOC12 85.8 (one draw of the labels)",
     .flags = R"({"loss": "em", "param": {"alpha": 0.1}})"},
    {.name = "em-apl-voc",
     .summary = "em-apl with its authors' weights for VOC",
     .evidence = "test MAP on fixed features: VOC12 85.9 (docs/benchmark.md)",
     .flags = R"({"loss": "em-apl", "param": {"alpha": 0.2, "beta": 0.02}})"},
    {.name = "gr-voc",
     .summary = "gr with its authors' schedule for VOC",
     .evidence = "test MAP on fixed features: VOC12 86.2, coco-mini 43.2 (45.0 with gr-coco)",
     .flags = R"({"loss": "gr", "param": {"wT": 2, "bT": -2}})"},
    {.name = "gr-coco",
     .summary = "gr with the schedule published for COCO, NUS-WIDE and CUB",
     .evidence = "test MAP on fixed features: coco-mini 45.0, VOC12 85.8 (one draw of the labels)",
     .flags = R"({"loss": "gr", "param": {"wT": 10, "bT": -8}})"}};

}  // namespace

std::span<const Preset> all_presets() { return kPresets; }

const Preset& find_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  fail_usage("unknown preset '{}'{} (known: {})", name, did_you_mean(std::string(name), names),
             fmt::join(names, ", "));
}

}  // namespace spml
