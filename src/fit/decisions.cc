#include "fit/decisions.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "decide/selection.h"
#include "decide/thresholds.h"
#include "fit/folds.h"
#include "formats/written_record.h"

namespace spml {
namespace {

// Validation rows looked at, at most so many logits: enough for curves of a few numbers each.
constexpr size_t kMostEntries = size_t{8} << 20;

// Of the logarithms of two estimates of k: a factor of two.
constexpr double kFarApart = 0.7;

// Validation rows: their logits, and what is known of their labels.
struct ValidationRows {
  std::vector<float> logits;      // (N, L)
  std::vector<int8_t> labels;     // (N, L): truth as +1 and -1 where it may be used
  std::vector<double> frequency;  // (L) observed positives over all rows that may be seen
  size_t rows = 0, columns = 0;
  bool some_empty = false;  // among all rows, some without an observed label

  void append(const ValidationRows& other) {
    logits.insert(logits.end(), other.logits.begin(), other.logits.end());
    labels.insert(labels.end(), other.labels.begin(), other.labels.end());
    rows += other.rows;
  }
  View<const float> scores() const { return {logits.data(), rows, columns}; }
  View<const int8_t> known() const { return {labels.data(), rows, columns}; }
};

// Logits of all labels (n, L), from all processes where several share them.
void predict_all(Session& session, Part part, std::span<const int32_t> rows, View<float> out) {
  const LabelPart& own = session.part;
  if (!own.is_split()) return session.model->predict(part, rows, 0, out);
  std::vector<float> mine(rows.size() * own.count), whole;
  const View<float> view{mine.data(), rows.size(), own.count};
  if (own.count > 0) session.model->predict(part, rows, 0, view);
  all_gather_columns<float>(own, view, whole);
  std::ranges::copy(whole, out.data);
}

ValidationRows read_validation(Session& session) {
  const Prepared& prepared = session.prepared;
  const bool clean = prepared.select == Select::kClean && !prepared.truth().empty();
  const LabelMatrix& source = clean ? prepared.truth() : prepared.observed();
  ValidationRows result;
  const size_t labels = result.columns = session.data.labels();
  const auto& all = prepared.split.val;
  Cluster* const others = session.row_part.cluster;  // that have the other rows
  const RowCount count =
      others != nullptr ? count_rows(*others, all.size()) : RowCount{0, all.size()};
  const size_t step = std::max<size_t>((count.all * labels + kMostEntries - 1) / kMostEntries, 1);
  std::vector<int32_t> rows;
  for (size_t i = 0; i < all.size(); ++i) {
    if ((count.before + i) % step == 0) rows.push_back(all[i]);
  }
  result.rows = rows.size();
  result.logits.resize(rows.size() * labels);
  result.labels.resize(rows.size() * labels);
  predict_all(session, Part::kTrainFile, rows, {result.logits.data(), rows.size(), labels});
  for (size_t i = 0; i < rows.size(); ++i) {
    source.read_row(static_cast<size_t>(rows[i]),
                    std::span(result.labels).subspan(i * labels, labels));
  }
  if (others != nullptr) {
    result.logits = all_gather_rows<float>(others, result.scores());
    result.labels = all_gather_rows<int8_t>(others, result.known());
    result.rows = result.logits.size() / labels;
  }
  if (clean) {
    for (int8_t& label : result.labels) label = label > 0 ? 1 : -1;
  }
  result.frequency.resize(labels);
  std::vector<int8_t> row(labels);
  size_t seen = 0;
  for (const auto* part : {&prepared.split.train, &prepared.split.val}) {
    for (const int32_t i : *part) {
      prepared.observed().read_row(static_cast<size_t>(i), row);
      bool positive = false;
      for (size_t j = 0; j < labels; ++j) {
        result.frequency[j] += row[j] > 0;
        positive |= row[j] > 0;
      }
      result.some_empty |= !positive;
      ++seen;
    }
  }
  if (others != nullptr) {
    double counts[] = {static_cast<double>(seen), result.some_empty ? 1.0 : 0.0};
    others->sum(std::span<double>(counts));
    others->sum(std::span<double>(result.frequency));
    seen = static_cast<size_t>(counts[0]);
    result.some_empty = counts[1] > 0;
  }
  for (double& share : result.frequency) share = (share + 0.5) / (static_cast<double>(seen) + 1);
  return result;
}

LabelFit fit(const ValidationRows& rows, std::optional<double> k, bool want_interval, int threads,
             const LoopEvents& events, bool hold_k = false, bool want_alternatives = false) {
  LabelFitInput input;
  input.logits = rows.scores();
  input.labels = rows.known();
  input.frequency = rows.frequency;
  input.k = k;
  input.hold_k = hold_k;
  input.rows_may_be_empty = rows.some_empty;
  input.want_interval = want_interval;
  input.want_alternatives = want_alternatives;
  input.threads = threads;
  input.between_parts = events.between_parts;
  return fit_labels(input);
}

}  // namespace

template <class Fields>
static void json_fields(Fields& field, Calibration& calibration) {
  field("slope", calibration.slope);
  field("offset", calibration.offset);
}

std::string_view to_string(LabelSource source) {
  return source == LabelSource::kClean ? "clean" : "observed";
}

LabelSource label_source_from(std::string_view name) {
  if (name == "clean") return LabelSource::kClean;
  if (name == "observed") return LabelSource::kObserved;
  fail("expected clean or observed, found '{}'", name);
}

LabelFit fit_validation(std::span<const std::unique_ptr<Session>> sessions, bool want_interval,
                        int threads, const LoopEvents& events) {
  ValidationRows rows = read_validation(*sessions.front());
  for (const auto& session : sessions.subspan(1)) rows.append(read_validation(*session));
  return fit(rows, std::nullopt, want_interval, threads, events);
}

Decisions decide(Session& session, const RunEvents& events) {
  ValidationRows rows = read_validation(session);
  if (may_be_folded(session)) {
    const size_t wanted = rows_with_complete_ones(session.data, kFewRows);
    for (const auto& other : train_other_folds(session, wanted, events)) {
      rows.append(read_validation(*other));
    }
  }
  // An estimate comes from other scores of the same labels: these scores are asked themselves.
  std::optional<double> k;
  if (!session.config.k_is_estimated) k = resolve_k(session.data, session.config);
  const LoopEvents stoppable =
      until(events.stop_requested, "stopped before it was calibrated; continue with --resume");
  LabelFit fitted = fit(rows, k, false, session.threads, stoppable, false, true);
  const std::vector<Calibration> alternatives = fitted.alternatives;
  if (session.config.k_is_estimated && session.config.k && fitted.complete_rows == 0) {
    // Weak scores make rows seem to have many labels: then the estimate is believed. Losses that
    // push unknown labels down make rows seem to have one: then neither is, but what lies between.
    const double told = *session.config.k, apart = std::log(fitted.k / told);
    if (apart > kFarApart) {
      fitted = fit(rows, told, false, session.threads, stoppable, true);
    } else if (apart < -kFarApart) {
      fitted = fit(rows, std::sqrt(told * fitted.k), false, session.threads, stoppable);
    }
  }
  Decisions decisions;
  decisions.from = fitted.complete_rows > 0 ? LabelSource::kClean : LabelSource::kObserved;
  std::vector<float> calibrated = rows.logits;
  const View<float> probabilities{calibrated.data(), rows.rows, rows.columns};
  fitted.calibration.apply(0, probabilities);
  decisions.thresholds = decision_thresholds(probabilities, session.threads);
  fitted.alternatives = alternatives;  // also where the curves come from another k
  decisions.quality = expected_quality(rows.scores(), rows.known(), fitted, decisions.thresholds);
  decisions.calibration = std::move(fitted.calibration);
  return decisions;
}

std::optional<Reliability> test_reliability(Session& session, const Calibration& calibration) {
  const DataPart& part = session.data.test;
  if (part.truth.empty() || !session.has_inputs(part)) return std::nullopt;
  const std::vector<int32_t> rows = all_rows(part);
  const size_t labels = session.data.labels();
  const size_t block = std::max<size_t>(1, kMostEntries / labels);
  std::vector<float> scores;
  std::vector<int8_t> truth;
  Reliability reliability;
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    const auto some = std::span(rows).subspan(begin, std::min(block, rows.size() - begin));
    scores.resize(some.size() * labels);
    truth.resize(some.size() * labels);
    const View<float> view{scores.data(), some.size(), labels};
    predict_all(session, Part::kTest, some, view);
    calibration.apply(0, view);
    for (size_t i = 0; i < some.size(); ++i) {
      part.truth.read_row(static_cast<size_t>(some[i]),
                          std::span(truth).subspan(i * labels, labels));
    }
    reliability.add(view, {truth.data(), some.size(), labels});
  }
  if (Cluster* const others = session.row_part.cluster) {  // each has seen its own rows
    std::vector<double> sums;
    for (const ReliabilityBin& bin : reliability.bins()) {
      sums.insert(sums.end(), {bin.entries, bin.predicted, bin.positives});
    }
    others->sum(std::span<double>(sums));
    reliability = Reliability(sums);
  }
  return reliability;
}

double observed_criterion(Session& session, double k) {
  const ValidationRows rows = read_validation(session);
  return spml::observed_criterion(rows.scores(), rows.known(), rows.frequency, k, session.threads);
}

void write_calibration(const Path& file, const Calibration& calibration) {
  write_file(file, written_record(calibration, file.string(), 2) + "\n");
}

Calibration read_calibration(const Path& file, size_t labels) {
  auto calibration = read_record<Calibration>(file);
  const auto rising = [](double slope) { return std::isfinite(slope) && slope > 0; };
  const auto finite = [](double offset) { return std::isfinite(offset); };
  if (calibration.slope.size() != labels || calibration.offset.size() != labels ||
      !std::ranges::all_of(calibration.slope, rising) ||
      !std::ranges::all_of(calibration.offset, finite)) {
    fail("{}: expected {} positive slopes and as many finite offsets, one for each label",
         file.string(), labels);
  }
  return calibration;
}

}  // namespace spml
