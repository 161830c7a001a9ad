// The library's front door: include/spml/linear.h.
#include <numeric>

#include "base/fail.h"
#include "base/sigmoid.h"
#include "experiment/session.h"
#include "experiment/trained_model.h"
#include "linear/linear_model.h"
#include "spml/linear.h"

namespace spml {
namespace {

LabelMatrix copy_labels(View<const int8_t> labels) {
  if (labels.empty()) return {};
  return LabelMatrix({labels.data, labels.data + labels.size()}, labels.rows, labels.cols);
}

TrainConfig config_of(const LinearOptions& options) {
  TrainConfig config;
  config.loss = options.loss;
  config.params = options.params;
  config.k = options.k;
  config.lr = options.lr;
  config.batch = options.batch;
  config.epochs = options.epochs;
  config.patience = options.patience;
  config.weight_decay = options.weight_decay;
  config.transform = transform_kind(options.transform);
  config.val_fraction = options.val_fraction;
  config.seed = options.seed;
  return config;
}

}  // namespace

struct LinearClassifier::State {
  std::unique_ptr<LinearModel> model;
};

LinearClassifier::LinearClassifier(std::unique_ptr<State> state) : state_(std::move(state)) {}
LinearClassifier::LinearClassifier(LinearClassifier&&) noexcept = default;
LinearClassifier& LinearClassifier::operator=(LinearClassifier&&) noexcept = default;
LinearClassifier::~LinearClassifier() = default;

LinearClassifier LinearClassifier::train(View<const float> features, View<const int8_t> observed,
                                         const LinearOptions& options, View<const int8_t> truth) {
  Dataset data;
  data.name = "arrays";
  data.train_file.features = FeatureMatrix(features);
  data.train_file.observed = copy_labels(observed);
  data.train_file.truth = copy_labels(truth);
  check_dataset(data, {.need_features = true, .threads = options.threads});

  Session session(data, config_of(options), options.threads);
  LoopEvents events;
  if (options.on_epoch) {
    events.after_epoch = [&](const EpochRecord& record) {
      options.on_epoch(record.epoch, record.train_loss, record.val_map);
    };
  }
  session.loop.run(events);
  auto state = std::make_unique<State>();
  state->model = session.take_linear_model();
  return LinearClassifier(std::move(state));
}

LinearClassifier LinearClassifier::load(const std::string& run_folder) {
  auto state = std::make_unique<State>();
  state->model = load_trained_model(run_folder, 1).model;
  return LinearClassifier(std::move(state));
}

size_t LinearClassifier::labels() const { return state_->model->labels(); }
size_t LinearClassifier::features() const { return state_->model->features(); }
std::vector<float> LinearClassifier::weight() const { return state_->model->weight(); }
std::vector<float> LinearClassifier::bias() const {
  const auto& bias = state_->model->bias();
  return {bias.begin(), bias.end()};
}

std::vector<float> LinearClassifier::predict(View<const float> features) const {
  if (features.cols != this->features()) {
    fail("expected {} features, as the model has, found {}", this->features(), features.cols);
  }
  std::vector<int32_t> rows(features.rows);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> scores(features.rows * labels());
  state_->model->predict(FeatureMatrix(features), rows, 0,
                         {scores.data(), features.rows, labels()});
  sigmoid_in_place(scores);
  return scores;
}

}  // namespace spml
