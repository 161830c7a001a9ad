#include "fit/session.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "linear/factored_estimator.h"
#include "linear/linear_model.h"
#include "linear/network_estimator.h"
#include "train/split_loss.h"
#include "train/table_estimator.h"

namespace spml {

void check_can_train(Mode mode, const ImageModelMaker& make_image_model) {
  if (mode == Mode::kLinear || make_image_model) return;
  fail(
      "--mode {} trains on images, and this build of spml has no image training; use --mode linear",
      to_string(mode));
}

Session::Session(const Dataset& dataset, const TrainConfig& train_config, int thread_count,
                 std::optional<LinearStart> linear_start, const ImageModelMaker& make_image_model,
                 const Split* rows, Cluster* cluster)
    : Session(dataset, train_config, thread_count,
              cluster != nullptr && train_config.mode == Mode::kLinear
                  ? part_of_labels(dataset.labels(), *cluster)
                  : all_labels(dataset.labels()),
              train_config.mode != Mode::kLinear ? cluster : nullptr, nullptr,
              prepare(dataset, train_config, rows), std::move(linear_start), make_image_model) {}

Session::Session(const RowShare& rows, const TrainConfig& train_config, int thread_count)
    : Session(*rows.data, train_config, thread_count, all_labels(rows.data->labels()), nullptr,
              &rows, prepare_share(rows, train_config), {}, {}) {}

Session::Session(const Dataset& dataset, const TrainConfig& train_config, int thread_count,
                 const LabelPart& label_part, Cluster* with_parts_of_batches, const RowShare* rows,
                 Prepared ready, std::optional<LinearStart> linear_start,
                 const ImageModelMaker& make_image_model)
    : data(dataset),
      config(train_config),
      threads(thread_count),
      part(label_part),
      batch_cluster(with_parts_of_batches),
      share(rows),
      row_part(rows != nullptr ? rows->part : RowPart{}),
      prepared(std::move(ready)),
      start(std::move(linear_start)),
      loss_info(spml::loss_info(config)),
      params(resolve_parameters(loss_info, loss_setup())),
      loss(make_split_loss()),
      labels(prepared.observed(), prepared.truth(), loss_info, part),
      model(make_model(make_image_model)),
      estimator(make_estimator()),
      validation(
          evaluator(Part::kTrainFile, prepared.validation_rows(), prepared.validation_labels())),
      memory(make_memory()),
      loop(plan(), *loss, *model, estimator.get(), labels, validation, memory.get()),
      total_steps_(takes_steps(config)
                       ? loop.steps_per_epoch() * static_cast<uint64_t>(config.epoch_count())
                       : 1) {}

Evaluator Session::evaluator(Part rows_of, std::span<const int32_t> rows,
                             const LabelMatrix& truth) const {
  return {rows_of, rows, truth, threads, part, row_part.cluster};
}

std::shared_ptr<const Loss> Session::make_split_loss() const {
  std::shared_ptr<const Loss> whole =
      config.own_loss ? config.own_loss->loss : make_loss(config.loss, loss_setup());
  if (row_part.is_split()) {
    return split_loss(std::move(whole), loss_info, row_part, config.batch, data.labels());
  }
  return split_loss(std::move(whole), loss_info, part);
}

LossSetup Session::loss_setup() const {
  LossSetup setup;
  setup.labels = data.labels();
  setup.k = prepared.k;
  setup.params = config.params;
  return setup;
}

bool Session::has_inputs(const DataPart& rows) const {
  return config.mode == Mode::kLinear ? !rows.features.empty() : !rows.images.empty();
}

std::vector<int32_t> all_rows(const DataPart& part) {
  std::vector<int32_t> rows(part.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::unique_ptr<LinearModel> Session::take_linear_model() {
  std::unique_ptr<LinearModel> linear(static_cast<LinearModel*>(model.release()));
  linear->forget_sources();
  return linear;
}

LoopPlan Session::plan() const {
  LoopPlan plan;
  plan.rows = prepared.split.train;
  plan.batch = config.batch;
  plan.epochs = config.epoch_count();
  plan.patience = config.patience;
  plan.min_delta = config.min_delta;
  plan.keep_last = config.refit;
  plan.seed = config.seed;
  plan.cluster = part.cluster;
  if (row_part.is_split()) {
    Cluster& cluster = *row_part.cluster;
    plan.cluster = &cluster;
    plan.row_part = row_part;
    const RowCount rows = count_rows(cluster, plan.rows.size());
    plan.first_row = rows.before;
    plan.rows_in_all = rows.all;
    const uint64_t mine = plan.rows.size() / plan.batch;
    const auto steps =
        all_gather<uint64_t>(cluster, std::span(&mine, 1), static_cast<size_t>(cluster.size()));
    plan.local_steps = *std::ranges::min_element(steps);
    if (row_part.has_local_steps() && plan.local_steps == 0) {
      fail(
          "--sync-every {}: expected a batch of {} training rows at every rank, found fewer at "
          "one; "
          "lower --batch, or give --sync-every 1",
          config.sync_every, plan.batch);
    }
  }
  return plan;
}

void Session::check_start() const {
  if (!start) {
    fail("--mode {} starts from a linear classifier, and none was given", to_string(config.mode));
  }
  const size_t entries = prepared.split.train.size() * data.labels();
  if (loss_info.uses_estimates &&
      (start->rows != prepared.split.train || start->estimates.size() != entries)) {
    fail(
        "expected a linear classifier whose label estimates are of the {} rows that are trained on "
        "here, found estimates of {} other rows",
        prepared.split.train.size(), start->rows.size());
  }
}

std::unique_ptr<Model> Session::make_model(const ImageModelMaker& make_image_model) const {
  if (config.mode == Mode::kLinear) return make_linear_model();
  check_can_train(config.mode, make_image_model);
  if (config.mode == Mode::kLinearInit) check_start();
  return make_image_model(data, config, start ? &*start : nullptr, threads, batch_cluster);
}

std::unique_ptr<Model> Session::make_linear_model() const {
  const FeatureMatrix& features = data.train_file.features;
  LinearConfig linear;
  linear.features = features.cols();
  linear.labels = part.count;
  if (part.is_split()) linear.part = part;
  linear.rows = row_part;
  linear.batch = config.batch;
  linear.adam = config.adam();
  linear.threads = threads;
  linear.seed = config.seed;
  return std::make_unique<LinearModel>(
      linear, fit_transform(config.transform, features, prepared.split.train, row_part.cluster),
      &features, &data.test.features);
}

std::unique_ptr<LabelEstimator> Session::make_estimator() {
  if (!loss_info.uses_estimates) return nullptr;
  LinearConfig layer;
  layer.labels = data.labels();
  layer.batch = config.batch;
  // The estimates follow the linear layer, not the network, whose steps are too small for them: at
  // 1e-5 a table of logits moves by a few hundredths in a whole run.
  layer.adam.lr = config.head_learning_rate() * params.at("estimate_lr_factor");
  layer.threads = 1;  // a second team would spin in the way of the classifier's
  layer.seed = config.seed;
  const auto& rows = prepared.split.train;
  const FeatureMatrix& features = data.train_file.features;
  if (config.mode != Mode::kLinear && config.estimator.kind != EstimatorKind::kTable) {
    fail("--mode {} keeps its label estimates in a table; leave out --estimator",
         to_string(config.mode));
  }
  const bool is_split = part.is_split() || row_part.is_split();
  if (is_split && config.estimator.kind != EstimatorKind::kTable) {
    fail("--shard-by {} keeps label estimates in a table; leave out --estimator {}",
         config.shard_by, to_string(config.estimator.kind));
  }
  switch (config.estimator.kind) {
    case EstimatorKind::kFactored:
      layer.features = config.estimator.rank;
      return std::make_unique<FactoredEstimator>(layer, rows);
    case EstimatorKind::kNetwork:
      layer.features = config.estimator.hidden;
      return std::make_unique<NetworkEstimator>(
          layer, fit_transform(config.transform, features, rows), features, rows);
    case EstimatorKind::kTable:
      break;
  }
  return make_table(layer.adam);
}

std::unique_ptr<LabelEstimator> Session::make_table(const AdamConfig& adam) {
  const auto& rows = prepared.split.train;
  auto table = std::make_unique<TableEstimator>(rows.size(), part, adam, row_part.cluster);
  std::vector<int8_t> observed(part.count);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (start) {
      table->start_row(i, std::span(start->estimates).subspan(i * data.labels(), data.labels()));
      continue;
    }
    labels.read_row(static_cast<size_t>(rows[i]), observed);
    table->start_row(i, observed, config.seed, row_part.first + static_cast<uint64_t>(rows[i]),
                     params.at("estimate_start"));
  }
  return table;
}

std::unique_ptr<LabelMemory> Session::make_memory() {
  if (!loss_info.memory.any()) return nullptr;
  return std::make_unique<LabelMemory>(loss_info.memory, prepared.observed(), labels,
                                       prepared.split.train, threads, MemoryBudget{}, part);
}

}  // namespace spml
