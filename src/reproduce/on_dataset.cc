#include "reproduce/on_dataset.h"

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "data/all_known.h"
#include "reproduce/counted_rows.h"
#include "sweep/linear_start.h"

namespace spml {
namespace {

using Row = ExperimentRow;

// As in the definition of an experiment.
constexpr double kMaxLearningRate = 1e9;
constexpr size_t kMaxBatch = 1 << 20;

std::optional<double> mean_of(const Winner& winner, const std::string& metric) {
  if (metric == "val_map") return winner.val_map();
  if (metric == "train_map") {
    return winner.train_map_mean ? winner.train_map_mean : winner.result.train_map;
  }
  return winner.test_map();
}

std::optional<double> deviation_of(const Winner& winner, const std::string& metric) {
  if (metric == "val_map") return std::nullopt;
  return metric == "train_map" ? winner.train_map_std : winner.test_map_std;
}

}  // namespace

OnDataset::OnDataset(const Experiment& experiment, const ReproduceOptions& options,
                     const SweepEvents& events, Mode mode, const NamedData& named,
                     const Reproduction& earlier)
    : experiment_(experiment),
      options_(options),
      events_(events),
      mode_(mode),
      named_(named),
      earlier_(earlier),
      // A step of a network keeps all cores busy; one of a linear model does not.
      jobs_(options.jobs > 0                      ? options.jobs
            : trains_networks(experiment_, mode_) ? 1
                                                  : options.threads),
      threads_(std::max(1, options.threads / jobs_)),
      data_(open()) {}

Dataset OnDataset::open() const {
  DatasetOptions options;
  options.need_features = options.load_features =
      std::ranges::any_of(experiment_.rows, [&](const Row& row) {
        return is_trained(row, mode_) && row.mode.value_or(mode_) != Mode::kFinetune;
      });
  options.threads = options_.threads;
  Dataset data = open_dataset(named_.folder, options);
  // The paper draws one label per row, also from data that lists them all.
  DataPart& part = data.train_file;
  if (!part.truth.empty() && !part.observed.empty() && all_known(part.observed)) part.observed = {};
  return data;
}

TrainConfig OnDataset::config(const Row& row) const {
  return row_config(experiment_, row, mode_, options_.image, data_.labels());
}

// What another experiment in the same folder chose for the same loss on this data set.
std::optional<Grid> OnDataset::settings_in_results(const Experiment& source, const Row& row) const {
  for (const auto& [key, other] : earlier_.experiments) {
    if (other.experiment != source.name) continue;
    for (const ResultRow& line : other.rows) {
      const bool same = line.loss == row.loss && line.params == row.params &&
                        line.mode == row.mode.value_or(mode_);
      const ResultPoint* cell = line.cells.find(named_.name);
      if (!same || cell == nullptr || !cell->lr || !cell->batch) continue;
      if (!(*cell->lr > 0) || *cell->lr > kMaxLearningRate || *cell->batch < 1 ||
          *cell->batch > kMaxBatch) {
        fail("{}: row '{}': expected an lr above 0 and a batch of 1 to {}, found {:g} and {}",
             ReproductionFolder{options_.out}.results().string(), line.label, kMaxBatch, *cell->lr,
             *cell->batch);
      }
      return Grid{{*cell->lr}, {*cell->batch}};
    }
  }
  return std::nullopt;
}

// The grid to search for a row, or the settings that a search elsewhere has found.
Grid OnDataset::grid_of(const Row& row) {
  if (experiment_.settings_from.empty()) return {experiment_.lr, experiment_.batch};
  const Experiment source = load_experiment(experiment_.settings_from);
  if (auto found = settings_in_results(source, row)) return *found;
  TrainConfig base = config(row);
  base.record_unobserved_positives = false;  // the same runs as those of the source
  const Cell search{&row, {}, candidates(base, {source.lr, source.batch}, source.seeds)};
  train({search});
  const RunResult winner = choose(search).winner.result;
  return {{winner.lr}, {winner.batch}};
}

std::vector<Cell> OnDataset::cells() {
  std::vector<Cell> cells;
  const auto values = x_values(experiment_, data_, options_.threads);
  for (const Row& row : experiment_.rows) {
    if (!is_trained(row, mode_)) continue;
    const Grid grid = grid_of(row);
    for (const auto& x : values) {
      TrainConfig base = config(row);
      if (x) vary(base, experiment_.vary, *x);
      cells.push_back(
          {&row, x, candidates(base, grid, options_.seeds.value_or(experiment_.seeds))});
    }
  }
  return cells;
}

void OnDataset::train(const std::vector<Cell>& cells) {
  std::vector<TrainConfig> configs;
  for (const Cell& cell : cells) {
    configs.insert(configs.end(), cell.candidates.begin(), cell.candidates.end());
  }
  SweepOptions sweep;
  sweep.out = options_.out / named_.name;
  make_folder_inside(sweep.out);
  sweep.jobs = jobs_;
  sweep.threads = threads_;
  sweep.overwrite = options_.overwrite;
  sweep.beside_others = options_.beside_others;
  sweep.make_image_model = options_.make_image_model;
  sweep.linear_starts = linear_starts();
  sweep.cluster = options_.cluster;
  GridRuns grid = run_grid(data_, configs, sweep, events_);
  if (!grid.failed.empty()) {
    fail("{}: a run failed, the others are done: {}: {}", named_.name, grid.failed.front().run,
         grid.failed.front().error);
  }
  for (SweepRun& run : grid.finished) {
    const std::string name = run_name(run.config);
    run.run = named_.name + "/" + run.run;
    runs_[name] = std::move(run);
  }
}

OnDataset::Choice OnDataset::choose(const Cell& cell) const {
  Choice choice;
  std::vector<SweepRun> runs;
  for (const TrainConfig& config : cell.candidates) {
    choice.runs.push_back(&runs_.at(run_name(config)));
    runs.push_back(*choice.runs.back());
  }
  choice.winner = best_per_loss(runs).begin()->second;
  for (const size_t i : choice.winner.members) choice.chosen.push_back(choice.runs[i]);
  return choice;
}

ResultPoint OnDataset::point(const Cell& cell, const Choice& choice) const {
  const Winner& winner = choice.winner;
  ResultPoint point;
  point.x = experiment_.vary.name == "k" && !cell.x ? winner.result.k : cell.x;
  point.ours = mean_of(winner, experiment_.metric);
  point.std = deviation_of(winner, experiment_.metric);
  if (experiment_.vary.name == "subsample") {
    const size_t rows = choice.chosen.front()->record.setup.rows.train;
    point.labels_seen = static_cast<double>(rows) * labels_seen_per_row(data_, cell.row->loss);
  }
  point.val_map = winner.val_map();
  point.lr = winner.result.lr;
  point.batch = winner.result.batch;
  point.best_epoch = winner.result.best_epoch;
  return point;
}

void OnDataset::add_cell(const Cell& cell, ResultRow& row) const {
  const std::string& name = named_.name;
  const Choice choice = choose(cell);
  ResultPoint value = point(cell, choice);
  if (experiment_.show != Show::kCurves) {
    value.paper = row.cells[name].paper;
    row.cells[name] = value;
  } else if (cell.x) {
    row.curves[name].push_back(value);
  } else {
    row.references[name] = value;
  }
  if (experiment_.show == Show::kHeatMaps) {
    Histograms& histograms = row.histograms[name];
    for (const EpochRecord& epoch : choice.chosen.front()->record.epochs) {
      histograms.push_back(epoch.unobserved_positives);
    }
  }
  for (const SweepRun* run : choice.runs) row.runs[name].push_back(run->run);
  for (const SweepRun* run : choice.chosen) row.chosen[name].push_back(run->run);
}

void OnDataset::add_to(std::vector<ResultRow>& rows) {
  const std::vector<Cell> cells = this->cells();
  if (!cells.empty()) train(cells);
  const auto row_of = [&](const Row& row) -> ResultRow& {
    return *std::ranges::find(rows, row.label, &ResultRow::label);
  };
  CountedRows counted(data_, options_.threads);
  for (const Row& row : experiment_.rows) {
    if (row.statistic.empty() || (row.only && *row.only != mode_)) continue;
    if (events_.stop_requested && events_.stop_requested()) {
      throw Error(
          fmt::format("stopped; run the same command again to continue {}", options_.out.string()),
          Error::Kind::kInterrupted);
    }
    row_of(row).cells[named_.name].ours = counted.value(row);
  }
  for (const Cell& cell : cells) add_cell(cell, row_of(*cell.row));
}

}  // namespace spml
