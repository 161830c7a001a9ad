#include "fit/row_share.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "base/fail.h"
#include "linear/linear_model.h"

namespace spml {
namespace {

// What the rows of a process are borrowed from.
struct Whole {
  std::shared_ptr<const Dataset> data;
  LabelMatrix drawn;
};

struct Range {
  size_t first = 0, count = 0;
};

Range range_of(size_t rows, const Cluster& cluster, std::string_view what) {
  const auto r = static_cast<size_t>(cluster.rank()), n = static_cast<size_t>(cluster.size());
  if (rows > 0 && rows < n) {
    fail("--shard-by rows: expected at least as many {} rows as ranks, found {} rows and {} ranks",
         what, rows, n);
  }
  const size_t first = rows * r / n;
  return {first, rows * (r + 1) / n - first};
}

LabelMatrix some_rows(const LabelMatrix& labels, Range range) {
  if (labels.empty()) return {};
  if (const auto all = labels.view(); !all.empty()) {
    return LabelMatrix(View<const int8_t>{all.row(range.first), range.count, all.cols});
  }
  std::vector<int8_t> values(range.count * labels.cols());
  for (size_t i = 0; i < range.count; ++i) {
    labels.read_row(range.first + i, std::span(values).subspan(i * labels.cols(), labels.cols()));
  }
  return {std::move(values), range.count, labels.cols()};
}

FeatureMatrix some_rows(const FeatureMatrix& features, Range range) {
  if (features.empty()) return {};
  const size_t D = features.cols();
  if (features.is_half()) {
    return FeatureMatrix(Features::float16({features.halves().row(range.first), range.count, D}));
  }
  return FeatureMatrix(
      Features(View<const float>{features.floats().row(range.first), range.count, D}));
}

DataPart some_rows(const DataPart& part, Range range) {
  DataPart some;
  some.truth = some_rows(part.truth, range);
  some.observed = some_rows(part.observed, range);
  some.features = some_rows(part.features, range);
  return some;
}

// All ranks have the same columns, and all or none have each file.
void expect_alike(Cluster& cluster, const Dataset& data) {
  const auto has = [](const auto& matrix) { return matrix.empty() ? "no" : "yes"; };
  const DataPart &train = data.train_file, &test = data.test;
  expect_same(
      cluster, "data",
      fmt::format("{} labels, {} features, truth {}, observed labels {}, test labels {}, "
                  "test features {}, expected positives {}",
                  data.labels(), train.features.cols(), has(train.truth), has(train.observed),
                  has(test.truth), has(test.features), data.expected_positives.value_or(0)));
}

double positives_in(const LabelMatrix& truth) {
  std::vector<int8_t> row(truth.cols());
  double sum = 0;
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, row);
    sum += static_cast<double>(std::count(row.begin(), row.end(), int8_t{1}));
  }
  return sum;
}

using Clock = std::chrono::steady_clock;
// Exchanges may take a tenth of the time that steps take. Measured at rank 0, agreed by all.
uint64_t measured_sync(const Dataset& data, const TrainConfig& config, Cluster& cluster,
                       int threads, const std::function<void(const std::string& text)>& notice) {
  constexpr int kTries = 5;
  constexpr double kShare = 0.1;
  LinearConfig linear;
  linear.features = data.train_file.features.cols();
  linear.labels = data.labels();
  linear.batch = std::min(config.batch, data.train_file.rows());
  linear.threads = threads;
  LinearModel model(linear, {}, &data.train_file.features, nullptr);
  std::vector<int32_t> rows(linear.batch);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> values(linear.batch * linear.labels, 1e-6f);
  double step = 1e9, exchange = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const auto start = Clock::now();
    model.forward(rows);
    model.backward({values.data(), linear.batch, linear.labels});
    model.finish_step();
    step = std::min(step, seconds_since(start));
  }
  values.assign(3 * linear.labels * linear.features, 0);
  for (int i = 0; i < kTries; ++i) {
    cluster.barrier();
    const auto start = Clock::now();
    cluster.sum(std::span<float>(values));
    exchange = std::min(exchange, seconds_since(start));
  }
  // Gradients are a third of what is averaged.
  const double every = exchange / 3 <= kShare * step ? 1 : std::ceil(exchange / (kShare * step));
  double agreed = cluster.is_first() ? std::clamp(every, 1.0, 1e6) : 0;
  cluster.sum(std::span<double>(&agreed, 1));
  if (notice) {
    notice(
        fmt::format("--sync-every auto: {:g}, because a step takes {:.2g} ms and an exchange of "
                    "weights and moments {:.2g} ms",
                    agreed, 1e3 * step, 1e3 * exchange));
  }
  return static_cast<uint64_t>(agreed);
}

}  // namespace

RowShare share_rows(const std::shared_ptr<const Dataset>& data, const TrainConfig& config,
                    Cluster& cluster, bool is_apart, int threads,
                    const std::function<void(const std::string& text)>& notice) {
  if (config.mode != Mode::kLinear) {
    fail("--shard-by rows: expected --mode linear, found {}", to_string(config.mode));
  }
  auto mine = std::make_shared<Dataset>();
  mine->folder = data->folder;
  mine->name = data->name;
  mine->classes = data->classes;
  mine->expected_positives = data->expected_positives;
  mine->extraction = data->extraction;
  RowShare share;
  share.part.cluster = &cluster;
  if (is_apart) {
    if (config.observe || data->train_file.observed.empty()) {
      fail("{}: --shard-data reads observed labels (formatted_train_labels_obs.npy) and draws none",
           data->folder.string());
    }
    const Range train{0, data->train_file.rows()}, test{0, data->test.rows()};
    mine->train_file = some_rows(data->train_file, train);
    mine->test = some_rows(data->test, test);
    const RowCount rows = count_rows(cluster, train.count);
    share.part.first = rows.before;
    share.part.all = rows.all;
    share.whole = data;
  } else {
    const auto kept = std::make_shared<Whole>(Whole{data, prepare(*data, config).drawn});
    const Range train = range_of(data->train_file.rows(), cluster, "training");
    mine->train_file = some_rows(data->train_file, train);
    mine->test = some_rows(data->test, range_of(data->test.rows(), cluster, "test"));
    if (!kept->drawn.empty()) mine->train_file.observed = some_rows(kept->drawn, train);
    share.part.first = train.first;
    share.part.all = data->train_file.rows();
    share.whole = {kept, data.get()};
  }
  expect_alike(cluster, *mine);
  if (!mine->expected_positives && !mine->train_file.truth.empty()) {
    double sum = positives_in(mine->train_file.truth);
    cluster.sum(std::span<double>(&sum, 1));
    mine->expected_positives = sum / static_cast<double>(share.part.all);
    share.k_from_truth = true;
  }
  const std::string& sync = config.sync_every;
  if (sync == "auto") {
    share.part.sync_every = measured_sync(*mine, config, cluster, threads, notice);
  } else {
    const auto [end, error] =
        std::from_chars(sync.data(), sync.data() + sync.size(), share.part.sync_every);
    if (error != std::errc() || end != sync.data() + sync.size() || share.part.sync_every == 0) {
      fail_usage("--sync-every: expected auto or a number of steps from 1 on, found '{}'", sync);
    }
  }
  share.data = mine;
  return share;
}

// Rows [first, first + count) of `rows`, counted from there.
static std::vector<int32_t> rows_between(const std::vector<int32_t>& rows, size_t first,
                                         size_t count) {
  std::vector<int32_t> here;
  for (const int32_t row : rows) {
    const size_t i = static_cast<size_t>(row) - first;
    if (i < count) here.push_back(static_cast<int32_t>(i));
  }
  return here;
}

Prepared prepare_share(const RowShare& share, const TrainConfig& config) {
  const Dataset& data = *share.data;
  const Split all = split_of(share.part.all, config);
  if (all.train.size() < config.batch || all.val.empty()) {
    fail("expected at least one batch of {} training rows and one validation row, found {} and {}",
         config.batch, all.train.size(), all.val.size());
  }
  Prepared prepared;
  prepared.data = &data;
  const size_t rows = data.train_file.rows();
  prepared.split.train = rows_between(all.train, share.part.first, rows);
  prepared.split.val = rows_between(all.val, share.part.first, rows);
  prepared.k = resolve_k(data, config);
  prepared.k_from = share.k_from_truth && !config.k ? "truth" : source_of_k(data, config);
  if (loss_info(config).needs_k && !prepared.k) {
    fail("loss {} needs k, and --shard-by rows does not estimate it; give --k", config.loss);
  }
  prepared.select = data.train_file.truth.empty() ? Select::kObserved : config.select;
  return prepared;
}

}  // namespace spml
