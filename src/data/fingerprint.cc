#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "data/dataset.h"

namespace spml {
namespace {

constexpr size_t kSampledRows = 256;

// FNV-1a, 64 bits.
class Hash {
 public:
  void add(const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < bytes; ++i) state_ = (state_ ^ p[i]) * 0x100000001b3u;
  }
  void add(uint64_t number) { add(&number, sizeof(number)); }
  void add(std::string_view text) {
    add(text.size());
    add(text.data(), text.size());
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
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
  std::vector<float> row(features.cols());
  const size_t sampled = std::min(features.rows(), kSampledRows);
  for (size_t s = 0; s < sampled; ++s) {
    features.read_row(s * features.rows() / sampled, row);
    hash.add(row.data(), row.size() * sizeof(float));
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
  return fmt::format("{:016x}", hash.value());
}

}  // namespace spml
