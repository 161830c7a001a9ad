#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <memory>
#include <string_view>
#include <vector>

#include "data/dataset.h"

namespace spml {
namespace {

// XXH3, 128 bits: as fast as memory, so that every byte of the features can count.
class Hash {
 public:
  Hash() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }
  void add(const void* data, size_t bytes) { XXH3_128bits_update(state_.get(), data, bytes); }
  void add(uint64_t number) { add(&number, sizeof(number)); }
  void add(std::string_view text) {
    add(text.size());
    add(text.data(), text.size());
  }
  std::string text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", uint64_t{hash.high64}, uint64_t{hash.low64});
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

void add_labels(Hash& hash, const LabelMatrix& labels) {
  hash.add(labels.rows());
  hash.add(labels.cols());
  std::vector<int8_t> row(labels.cols());
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    hash.add(row.data(), row.size());
  }
}

void add_features(Hash& hash, const FeatureMatrix& features) {
  hash.add(features.rows());
  hash.add(features.cols());
  hash.add(uint64_t{features.is_half()});
  if (features.empty()) return;
  if (features.is_half()) {
    hash.add(features.halves().data, features.halves().size() * sizeof(uint16_t));
  } else {
    hash.add(features.floats().data, features.floats().size() * sizeof(float));
  }
}

void add_part(Hash& hash, const DataPart& part) {
  add_labels(hash, part.truth);
  add_labels(hash, part.observed);
  hash.add(part.images.rows());
  for (size_t i = 0; i < part.images.rows(); ++i) hash.add(part.images.text(i));
  add_features(hash, part.features);
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Hash hash;
  for (const std::string& name : data.classes) hash.add(name);
  add_part(hash, data.train_file);
  add_part(hash, data.test);
  return hash.text();
}

}  // namespace spml
