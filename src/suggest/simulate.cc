#include "suggest/simulate.h"

#include <algorithm>

#include "base/fail.h"
#include "fit/session.h"
#include "formats/written_record.h"
#include "linear/linear_model.h"
#include "suggest/suggest.h"
#include "train/evaluator.h"

namespace spml {

template <class Fields>
static void json_fields(Fields& field, SimulationRound& round) {
  field("answers", round.answers);
  field("found", round.found);
  field("precision", round.precision);
  field("test_map", round.test_map);
}

template <class Fields>
static void json_fields(Fields& field, Simulation& simulation) {
  field("data", simulation.data);
  field("loss", simulation.loss);
  field("rows", simulation.rows);
  field("unknown", simulation.unknown);
  field("hidden", simulation.hidden);
  field("rounds", simulation.rounds);
  field("random", simulation.random);
  field("an", simulation.an);
}

namespace {

// The reviewer: the only one who sees the truth.
class Reviewer {
 public:
  Reviewer(const Dataset& data, const Matrix<int8_t>& observed, const std::vector<int32_t>& rows)
      : truth_(data.train_file.truth), known_(observed) {
    std::vector<int8_t> row(observed.cols());
    for (const int32_t i : rows) {
      truth_.read_row(static_cast<size_t>(i), row);
      for (size_t j = 0; j < row.size(); ++j) {
        if (observed(static_cast<size_t>(i), j) != 0) continue;
        ++unknown_;
        hidden_ += row[j] > 0;
      }
    }
  }

  const Matrix<int8_t>& known() const { return known_; }
  size_t answers() const { return answers_; }
  size_t unknown() const { return unknown_; }
  size_t hidden() const { return hidden_; }

  void answer(const std::vector<Suggestion>& questions) {
    std::vector<int8_t> row(known_.cols());
    for (const Suggestion& question : questions) {
      const auto i = static_cast<size_t>(question.row), j = static_cast<size_t>(question.label);
      truth_.read_row(i, row);
      known_(i, j) = row[j] > 0 ? 1 : -1;
      ++answers_;
      yes_ += row[j] > 0;
    }
  }

  SimulationRound round(std::optional<double> test_map) const {
    SimulationRound round;
    round.answers = answers_;
    round.found = hidden_ == 0 ? 1 : static_cast<double>(yes_) / static_cast<double>(hidden_);
    if (answers_ > 0) round.precision = static_cast<double>(yes_) / static_cast<double>(answers_);
    round.test_map = test_map;
    return round;
  }

 private:
  const LabelMatrix& truth_;
  Matrix<int8_t> known_;  // (N, L) of the whole training file
  size_t unknown_ = 0, hidden_ = 0, answers_ = 0, yes_ = 0;
};

class Simulator {
 public:
  Simulator(const Dataset& data, const TrainConfig& config, const SimulateOptions& options,
            const SuggestEvents& events)
      : data_(data),
        config_(config),
        options_(options),
        events_(events),
        split_(prepare(data, config).split),
        observed_(observed_labels(data, config)) {
    config_.select = Select::kObserved;
    config_.observe.reset();
  }

  Simulation run() {
    Simulation result;
    result.data = data_.name;
    result.loss = config_.loss;
    result.rows = split_.train.size();
    const Reviewer reviewer(data_, observed_, split_.train);
    result.unknown = reviewer.unknown();
    result.hidden = reviewer.hidden();
    Suggester suggester(data_, config_, split_.train, observed_, options_.threads, events_);
    suggester.remember(observed_);
    result.rounds = by_suggestions(suggester);
    result.random = in_random_order(suggester);
    result.an = by_assumed_negatives();
    return result;
  }

 private:
  size_t last(const Reviewer& reviewer) const {
    return std::min(options_.budget, reviewer.unknown());
  }

  void ask(Reviewer& reviewer, View<const float> scores, size_t count, SuggestOrder order) const {
    RankingOptions ranking;
    ranking.order = order;
    ranking.top = std::min(count, last(reviewer) - reviewer.answers());
    ranking.seed = config_.seed;
    const Matrix<int8_t> known = take_rows(reviewer.known(), split_.train);
    reviewer.answer(rank_missing(scores, known, split_.train, ranking));
  }

  // Ranks the questions again every `refresh` answers and retrains every `every`.
  std::vector<SimulationRound> by_suggestions(Suggester& suggester) const {
    Reviewer reviewer(data_, observed_, split_.train);
    std::vector<SimulationRound> rounds;
    for (;;) {
      suggester.retrain(reviewer.known(), options_.folds, events_);
      Matrix<float> scores = suggester.probabilities(reviewer.known());
      rounds.push_back(reviewer.round(test_map(suggester, reviewer.known())));
      if (reviewer.answers() >= last(reviewer)) return rounds;
      for (size_t asked = 0; asked < options_.every && reviewer.answers() < last(reviewer);) {
        const size_t count = std::min(options_.refresh, options_.every - asked);
        if (asked > 0) scores = suggester.probabilities(reviewer.known());
        ask(reviewer, scores, count, SuggestOrder::kScore);
        asked += count;
      }
    }
  }

  std::vector<SimulationRound> in_random_order(Suggester& suggester) const {
    Reviewer reviewer(data_, observed_, split_.train);
    const Matrix<float> scores(split_.train.size(), data_.labels());
    std::vector<SimulationRound> rounds;
    for (;;) {
      suggester.fit(reviewer.known());
      rounds.push_back(reviewer.round(test_map(suggester, reviewer.known())));
      if (reviewer.answers() >= last(reviewer)) return rounds;
      ask(reviewer, scores, options_.every, SuggestOrder::kRandom);
    }
  }

  std::vector<SimulationRound> by_assumed_negatives() const {
    TrainConfig config = config_;
    config.loss = "an";
    config.own_loss.reset();
    config.params.clear();
    Reviewer reviewer(data_, observed_, split_.train);
    std::vector<SimulationRound> rounds;
    for (;;) {
      const Dataset seen = without_truth(data_, reviewer.known());
      const InSample an = in_sample_logits(seen, config, split_, options_.threads, events_);
      rounds.push_back(reviewer.round(an.test_map));
      if (reviewer.answers() >= last(reviewer)) return rounds;
      ask(reviewer, an.logits, options_.every, SuggestOrder::kScore);
    }
  }

  // Of the classifier of known labels or, if there is none, of the run's own kind of classifier.
  std::optional<double> test_map(const Suggester& suggester, View<const int8_t> known) const {
    const DataPart& test = data_.test;
    if (test.truth.empty() || test.features.empty()) return {};
    if (!suggester.classifier()) {
      const Dataset seen = without_truth(data_, known);
      return in_sample_logits(seen, config_, split_, options_.threads, events_).test_map;
    }
    LinearConfig linear;
    linear.features = test.features.cols();
    linear.labels = data_.labels();
    linear.threads = options_.threads;
    LinearModel model(linear, *suggester.transform(), &data_.train_file.features, &test.features);
    model.set_weights(suggester.classifier()->weight, suggester.classifier()->bias);
    const auto rows = all_rows(test);
    return Evaluator(Part::kTest, rows, test.truth, options_.threads).evaluate(model).map.map;
  }

  const Dataset& data_;
  TrainConfig config_;
  const SimulateOptions& options_;
  const SuggestEvents& events_;
  Split split_;
  Matrix<int8_t> observed_;  // (N, L)
};

}  // namespace

Simulation simulate(const Dataset& data, const TrainConfig& config, const SimulateOptions& options,
                    const SuggestEvents& events) {
  if (data.train_file.truth.empty()) {
    fail(
        "{}: --simulate answers questions from the truth: expected formatted_train_labels.npy, "
        "found none",
        data.folder.string());
  }
  if (options.every == 0 || options.refresh == 0) fail_usage("--every: expected at least 1");
  return Simulator(data, config, options, events).run();
}

std::string json_text(const Simulation& simulation) {
  return written_record(simulation, "the simulation", 2) + "\n";
}

}  // namespace spml
