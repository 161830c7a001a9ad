#include "train/table_estimator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/rng.h"
#include "base/sigmoid.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "train/row_part.h"

namespace spml {
namespace {

float logit(double p) { return static_cast<float>(std::log(p) - std::log1p(-p)); }

}  // namespace

void TableEstimator::start_row(size_t row, std::span<const int8_t> observed, uint64_t seed,
                               uint64_t key, double unknown_start) {
  static const float kPositive = logit(0.995), kNegative = logit(0.005);
  static const double kHigh = logit(0.6);
  const double center = logit(unknown_start);
  CounterRng random(seed, Stream::kInitialEstimates, key);
  const std::span<float> u = table_.start_row(row);
  for (size_t j = 0; j < part_.first; ++j) random.uniform();  // those of the labels before
  for (size_t j = 0; j < u.size(); ++j) {
    const auto unknown = static_cast<float>(center + (2 * random.uniform() - 1) * kHigh);
    u[j] = observed[j] > 0 ? kPositive : observed[j] < 0 ? kNegative : unknown;
  }
}

void TableEstimator::start_row(size_t row, std::span<const float> probabilities) {
  const std::span<float> u = table_.start_row(row);
  for (size_t j = 0; j < u.size(); ++j) {
    u[j] = logit(std::clamp(static_cast<double>(probabilities[j]), 1e-5, 1 - 1e-5));
  }
}

void TableEstimator::probabilities(size_t first_row, View<float> out) {
  for (size_t i = 0; i < out.rows; ++i) table_.read_row(first_row + i, {out.row(i), out.cols});
  sigmoid_in_place(out.flat());
}

void TableEstimator::keep_best() {
  best_.resize(rows() * labels());
  probabilities(0, {best_.data(), rows(), labels()});
}

void TableEstimator::write_best(const Path& folder) {
  if (best_.empty()) keep_best();
  const View<const float> mine{best_.data(), rows(), labels()};
  if (others_ != nullptr) return write_rows(folder / "estimates.npy", mine);
  if (!part_.is_split()) return write_npy(folder / "estimates.npy", mine);
  const std::vector<float> whole = gather_columns(part_, mine);
  if (!part_.cluster->is_first()) return;
  write_npy(folder / "estimates.npy", View<const float>{whole.data(), rows(), part_.all});
}

// A few rows at a time, so that rank 0 never has many more than its own.
void TableEstimator::write_rows(const Path& file, View<const float> mine) {
  constexpr size_t kEntries = size_t{4} << 20;
  const size_t block = std::max<size_t>(1, kEntries / mine.cols);
  const uint64_t count = mine.rows;
  const auto counts =
      all_gather<uint64_t>(*others_, std::span(&count, 1), static_cast<size_t>(others_->size()));
  const size_t all = std::accumulate(counts.begin(), counts.end(), size_t{0});
  std::optional<NpyRowWriter> writer;
  if (others_->is_first()) writer.emplace(file, DType::kF32, all, mine.cols);
  for (size_t r = 0; r < counts.size(); ++r) {
    const bool is_mine = r == static_cast<size_t>(others_->rank());
    for (size_t first = 0; first < counts[r]; first += block) {
      const size_t rows = std::min<size_t>(block, counts[r] - first);
      std::span<const float> some;
      if (is_mine) some = mine.flat().subspan(first * mine.cols, rows * mine.cols);
      const auto values = gather<float>(*others_, some, rows * mine.cols);
      for (size_t i = 0; i < values.size(); i += mine.cols) {
        writer->append(std::span(values).subspan(i, mine.cols));
      }
    }
  }
  if (writer) writer->finish();
}

void TableEstimator::save_state(SafetensorsWriter& out) {
  table_.save_state(out);
  out.add("estimator.best", {best_.size()}, best_);
}

void TableEstimator::load_state(const SafetensorsFile& in, uint64_t step) {
  best_.clear();
  load_labels(in, step, part_);
}

void TableEstimator::load_labels(const SafetensorsFile& in, uint64_t step, const LabelPart& from) {
  table_.load_columns(in, step, from, part_);
  const bool has_best = from.count > 0 && !in.tensor("estimator.best").bytes.empty();
  if (!has_best) return;
  best_.resize(rows() * labels());
  const size_t size = saturating_product(rows(), from.count, sizeof(float));
  copy_labels(tensor_bytes(in, "estimator.best", size).data(), from, best_.data(), part_, rows(),
              1);
}

}  // namespace spml
