// From lists of values to configurations: what a sweep trains. One value of each is one run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "settings/config.h"

namespace spml {

// Of a sweep or an experiment, each with its folder: more are a slip in a list.
constexpr size_t kMaxRuns = 100'000;

struct GridValues {
  std::map<std::string, std::vector<std::string>> settings;  // by name, in the words of the flags
  std::vector<std::string> params;                           // name=value,value,...
};

// Every combination, for data of so many labels. Parameters and settings apply to the losses that
// have a use for them; one that none has is a usage Error, and so is a value out of range.
std::vector<TrainConfig> make_grid(const GridValues& values, size_t labels);

// Everything but the lists.
TrainConfig common_settings(const GridValues& values);

// "eps=0.2" -> {"eps", 0.2}. The value is a number, or L: the number of labels. Usage Error for
// anything else and for a name given twice.
LossParameters parse_params(const std::vector<std::string>& params, size_t labels);

}  // namespace spml
