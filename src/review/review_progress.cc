#include "review/review_progress.h"

#include <algorithm>

namespace spml::review {
namespace {

constexpr size_t kPoints = 200;
constexpr size_t kPaceAnswers = 100;  // the latest, from which the pace is taken
constexpr int64_t kPause = 60'000;    // a longer gap in ms is a break, not work

void count(State answer, Precision& precision) {
  precision.yes += answer == State::kYes;
  precision.no += answer == State::kNo;
  precision.unsure += answer == State::kUnsure;
}

double pace(const std::vector<AnswerRecord>& answers) {
  const size_t first = answers.size() > kPaceAnswers ? answers.size() - kPaceAnswers : 0;
  int64_t time = 0;
  size_t steps = 0;
  for (size_t i = first + 1; i < answers.size(); ++i) {
    const int64_t gap = answers[i].time - answers[i - 1].time;
    if (gap < 0 || gap > kPause) continue;
    time += gap;
    ++steps;
  }
  return time > 0 ? 60'000.0 * static_cast<double>(steps) / static_cast<double>(time) : 0;
}

}  // namespace

Progress measure_progress(const std::vector<AnswerRecord>& answers, size_t labels) {
  Progress progress;
  progress.classes.resize(labels);
  std::vector<size_t> found;  // after each answer that is yes or no
  for (const AnswerRecord& answer : answers) {
    if (answer.sample) continue;
    count(answer.answer, progress.all);
    count(answer.answer, progress.classes.at(static_cast<size_t>(answer.entry.label)));
    if (answer.answer != State::kUnsure) found.push_back(progress.all.yes);
  }
  const auto add_interval = [](Precision& precision) {
    precision.interval = clopper_pearson(precision.yes, precision.yes + precision.no);
  };
  add_interval(progress.all);
  std::for_each(progress.classes.begin(), progress.classes.end(), add_interval);
  const size_t step = found.size() / kPoints + 1;
  progress.found.emplace_back(0, 0);
  for (size_t i = step; i < found.size(); i += step) progress.found.emplace_back(i, found[i - 1]);
  if (!found.empty()) progress.found.emplace_back(found.size(), found.back());
  progress.per_minute = pace(answers);
  return progress;
}

}  // namespace spml::review
