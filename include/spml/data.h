// Data folders in the native layout (docs/formats.md), opened by mapping and checked; which of
// their rows are for training and which for validation; observed labels drawn from full ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spml/features.h"
#include "spml/matrix.h"

namespace spml {

// Rows of the training file, bit-exact with the authors' code.
struct Split {
  std::vector<int32_t> train;  // ascending rows of the training file
  std::vector<int32_t> val;    // ascending
};

// The last round(fraction * n) of RandomState(seed).permutation(n) are val; both parts sorted.
Split split_rows(size_t n, double val_fraction = 0.2, uint32_t seed = 1200);

struct ObserveOptions {
  size_t num_pos = 1;
  size_t num_neg = 0;
  uint32_t seed = 1200;
  double complete = 0;  // share of rows of which every label is observed, positives and negatives
};

// What an annotator who gives num_pos positives and num_neg negatives of each row would have said:
// (N, L) of +1, 0 (unknown) and -1, from the truth (N, L) of 0 and 1. Bit-exact with the authors'
// code; rows with fewer keep all.
Matrix<int8_t> draw_observed(View<const int8_t> truth, const ObserveOptions& options = {});

struct OpenOptions {
  bool need_features = false;  // Error that says how to get them when missing
  bool check_features = true;  // scan for NaN and infinity
  int threads = 0;             // 0: all cores
};

class DataFolder {
 public:
  // One of the two files' worth of data. What is not there is empty. Views stay valid while the
  // DataFolder or a copy of it does.
  class Part {
   public:
    size_t rows() const;                  // N
    View<const int8_t> truth() const;     // (N, L), 0 or 1
    View<const int8_t> observed() const;  // (N, L), +1, 0 or -1
    Features features() const;            // (N, D)
    bool has_images() const;
    std::string image_name(size_t row) const;            // as in the file
    std::filesystem::path image_file(size_t row) const;  // with the folder it is in

   private:
    friend class DataFolder;
    Part(const struct FolderState& state, size_t index) : state_(&state), index_(index) {}
    const struct FolderState* state_;
    size_t index_;
  };

  // Every Error names file, row and column where there is one. Labels in int8 and features in
  // float32 or float16 (C order) are mapped, not read; other types are converted once.
  static DataFolder open(const std::filesystem::path& folder, const OpenOptions& options = {});

  const std::filesystem::path& path() const;
  const std::string& name() const;
  const std::vector<std::string>& classes() const;    // L names
  size_t labels() const { return classes().size(); }  // L
  std::optional<double> expected_positives() const;   // k, where dataset.json has it

  Part train_file() const { return {*state_, 0}; }  // formatted_train_*: see split()
  Part test() const { return {*state_, 1}; }        // formatted_val_*
  Split split(double val_fraction = 0.2, uint32_t seed = 1200) const;

  // For the library itself.
  const FolderState& state() const { return *state_; }

 private:
  explicit DataFolder(std::shared_ptr<const FolderState> state) : state_(std::move(state)) {}
  std::shared_ptr<const FolderState> state_;
};

}  // namespace spml
