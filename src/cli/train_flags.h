// The flags of the training settings: `train` takes one value of each, `sweep` lists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags/flags.h"
#include "settings/grid.h"

namespace spml::cli {

struct TrainFlags {
  std::string data;
  std::string preset;  // already expanded into the other flags
  GridValues values;   // what was given
  std::map<std::string, std::optional<bool>> switches;

  // What was given, switches included.
  GridValues given() const;
  // Whether the data's features are used: as input, or by a linear phase on the spot.
  bool needs_features() const;
  bool is_linear() const;
  // Whether the settings are left to a search: no loss given, or "auto".
  bool is_auto() const;
};

// The positional DIR and a flag for every setting. `flags` must outlive the verb.
void add_train_flags(Verb& verb, TrainFlags& flags, bool lists);

// Every combination of the values given, for a data set of so many labels, with the image settings
// completed (see complete_weights in imaging/image_model.h).
std::vector<TrainConfig> expand(const TrainFlags& flags, size_t labels);

// The usage Errors of expand, before any data is read.
void check(const TrainFlags& flags);

}  // namespace spml::cli
