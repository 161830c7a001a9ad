// dataset.json: what a data folder says about itself. Every key is optional; unknown keys are
// left to others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

struct DatasetInfo {
  std::string name;
  std::vector<std::string> classes;
  std::optional<double> expected_positives;
  std::string image_root;
  std::string train_features, val_features;  // relative to the folder; "" = the usual name
};

// Error that starts with `where` for a value of the wrong type or out of range.
DatasetInfo parse_dataset_json(std::string_view text, std::string_view where);

std::string to_json(const DatasetInfo& info);

}  // namespace spml
