// A table of parameters under dense Adam, of which each step touches a few rows.
//
// Dense Adam moves every row at every step, because momentum decays also where there is no
// gradient: O(N C) a step for N rows of C columns. Here a row is brought up to date only when it is
// touched or read, O(B C) a step, with the same result. With no gradient for s steps after step t,
//   m_j = m b1^j,  v_j = v b2^j,
//   u_s = u - lr sum_{j=1..s} a_j c_j (m / sqrt v) / (1 + x c_j),   x = eps / sqrt v,
//   a_j = b1^j / (1 - b1^(t+j)),  c_j = sqrt((1 - b2^(t+j)) / b2^j).
// The c_j hardly vary while the a_j die off as 0.9^j, so the sum is expanded about the weighted
// mean of c, to second order. The constants depend on (t, s) alone and come from a table.
//
// Memory: 12 bytes an entry (u, m, v) and 4 bytes a row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "base/memory_budget.h"
#include "spml/view.h"
#include "train/adam.h"
#include "train/lazy_adam_kernels.h"

namespace spml {

struct LabelPart;
class SafetensorsFile;
class SafetensorsWriter;

// Sums over the steps without gradient that follow a step.
class DecaySums {
 public:
  explicit DecaySums(const AdamConfig& config);

  // What remains of m and v after s steps without gradient.
  struct Decay {
    double m = 1, v = 1;  // b1^s, b2^s
  };
  Decay over(uint64_t s) const;

  // The constants of a catch-up over steps t+1 .. t+s; `decay` is over(s).
  struct Sums {
    double s1 = 0;        // sum a_j c_j
    double center = 0;    // sum a_j c_j^2 / s1: the weighted mean of c
    double variance = 0;  // weighted variance of c
  };
  Sums between(uint64_t t, uint64_t s, const Decay& decay);

  // a_j and 1/c_j one by one, as long as they matter: for the first steps of a run, where c varies.
  // Valid until the next call.
  std::span<const DecayTerm> terms(uint64_t t, uint64_t s);

 private:
  void extend(uint64_t t);
  double weight(size_t power, uint64_t step) const;

  AdamConfig config_;
  double log_beta1_, log_beta2_;
  uint64_t settled_;  // from this step on b1^t and b2^t are nothing: all later tails are the same
  double ratio_[3];   // b1 / b2^((i+1)/2)
  std::vector<std::array<double, 3>> tails_;  // tails_[t][i] = sum_{j>=1} ratio^j weight(i, t+j)
  std::vector<DecayTerm> terms_;
};

class LazyAdamTable {
 public:
  LazyAdamTable(size_t rows, size_t columns, const AdamConfig& config,
                const MemoryBudget& memory = {});  // Error when it needs more

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }

  // The values of a row, to be set before the first step.
  std::span<float> start_row(size_t row) { return {row_data(row), columns_}; }

  // A hint that fetch() will be called for these rows after this step.
  void prefetch(std::span<const int32_t> rows) const;
  // The values (B, C) of a batch of distinct rows as of now, brought up to date in the table.
  void fetch(std::span<const int32_t> rows, View<float> values);
  // One Adam step for the rows just fetched; the others move in effect, by having no gradient.
  void apply(std::span<const int32_t> rows, View<const float> gradient);

  // A row as of now; the table is not changed.
  void read_row(size_t row, std::span<float> out);

  uint64_t step() const { return step_; }
  void set_step(uint64_t step) { step_ = step; }

  // The whole state but the step, under estimator.*
  void save_state(SafetensorsWriter& out) const;
  void load_state(const SafetensorsFile& in, uint64_t step);
  // The columns `mine` of a table of which the file has those of `from`.
  void load_columns(const SafetensorsFile& in, uint64_t step, const LabelPart& from,
                    const LabelPart& mine);

 private:
  float* row_data(size_t row) { return table_.data() + row * 3 * columns_; }
  // u of the row after the steps missed since it was last touched, and what m and v have decayed
  // by.
  DecaySums::Decay catch_up(const float* row, uint64_t last, float* u);

  size_t rows_, columns_;
  AdamConfig config_;
  DecaySums sums_;
  uint64_t step_ = 0;                // optimiser steps taken
  AlignedVector<float> table_;       // (N, 3, C): u, m and v of each row
  std::vector<uint32_t> last_step_;  // (N): u, m and v are as of this step
};

}  // namespace spml
