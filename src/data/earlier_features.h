// Features that a data folder keeps while its rows change, so that only new images are extracted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_identity.h"
#include "formats/npy.h"

namespace spml {

// Puts the features of `folder` into `staging`, whose files are about to take their place: under
// their own names when every image is the same and unchanged, else as features of earlier rows.
// Gives what dataset.json says of them ("extraction"), to be kept in the first case; "" otherwise.
struct KeptFeatures {
  std::string extraction;     // JSON
  bool in_place = false;      // they fit the new rows as they are
  bool without_rows = false;  // made before rows were recorded: lost
};
KeptFeatures keep_features(const Path& folder, const Path& staging, const Path& image_root);

// The features of earlier rows in a folder, for whoever makes new ones with the same settings.
class EarlierFeatures {
 public:
  // `settings`: what dataset.json would say of new ones. Empty when the earlier ones were made with
  // others.
  EarlierFeatures(const Path& folder, const nlohmann::json& settings, size_t cols);

  bool empty() const { return arrays_.empty(); }
  const IdentityIndex& index() const { return index_; }
  // Copies the features of an image of this content; false when there are none.
  bool read(const ImageIdentity& identity, std::span<float> out) const;

  // Removes them from the folder, when their rows have features of their own.
  static void remove(const Path& folder);

 private:
  std::vector<NpyArray> arrays_;
  std::vector<size_t> first_;  // number of the first row of each
  IdentityIndex index_;
};

}  // namespace spml
