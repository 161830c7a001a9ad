#include "review/rank/scores.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"

namespace spml::review {
namespace {

constexpr size_t kBlock = 1024;  // rows that are scored at a time

bool before(const Suggestion& a, const Suggestion& b) {
  return a.score != b.score ? a.score > b.score : a.entry < b.entry;
}

void keep_best(std::vector<Suggestion>& list, size_t limit) {
  if (list.size() <= limit) return;
  std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(limit), list.end(),
                   before);
  list.resize(limit);
}

}  // namespace

Scorer::Scorer(const Path& run, const Dataset& data, int threads)
    : data_(data), trained_(load_trained_model(run, threads)) {
  check_fits(trained_, data);
  if (trained_.is_fine_tuned()) {
    fail(
        "{}: expected a run on features, found a fine-tuned one; make features with `spml extract` "
        "and train with --mode linear",
        run.string());
  }
  if (data.train_file.features.empty()) {
    fail("{}: expected features, found none; make them with `spml extract {}`",
         data.folder.string(), data.folder.string());
  }
}

std::vector<float> Scorer::probabilities(std::span<const int32_t> rows) {
  std::vector<float> scores(rows.size() * data_.labels());
  const View<float> out{scores.data(), rows.size(), data_.labels()};
  const std::lock_guard lock(mutex_);
  trained_.model->predict(data_.train_file.features, rows, 0, out);
  trained_.calibration.apply(0, out);
  return scores;
}

Suggestions Scorer::suggest(const LabelMatrix& observed, size_t limit) {
  const size_t N = data_.train_file.features.rows(), L = data_.labels();
  Suggestions found;
  std::vector<int8_t> labels(L);
  for (size_t begin = 0; begin < N; begin += kBlock) {
    std::vector<int32_t> rows(std::min(kBlock, N - begin));
    std::iota(rows.begin(), rows.end(), static_cast<int32_t>(begin));
    const std::vector<float> scores = probabilities(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      observed.read_row(begin + i, labels);
      for (size_t j = 0; j < L; ++j) {
        if (labels[j] != 0) continue;
        const float score = scores[i * L + j];
        found.list.push_back({{rows[i], static_cast<int32_t>(j)}, score});
        found.expected_missing += score;
        ++found.unknown;
      }
    }
    if (found.list.size() > 2 * limit) keep_best(found.list, limit);
  }
  keep_best(found.list, limit);
  std::sort(found.list.begin(), found.list.end(), before);
  return found;
}

std::vector<Suggestion> Scorer::score(std::span<const Entry> entries) {
  std::vector<int32_t> rows;
  for (const Entry& entry : entries) rows.push_back(entry.row);
  const std::vector<float> scores = probabilities(rows);
  std::vector<Suggestion> scored;
  for (size_t i = 0; i < entries.size(); ++i) {
    scored.push_back(
        {entries[i], scores[i * data_.labels() + static_cast<size_t>(entries[i].label)]});
  }
  return scored;
}

}  // namespace spml::review
