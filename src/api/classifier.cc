// include/spml/linear.h: the trained classifier.
#include <numeric>

#include "api/classifier_state.h"
#include "base/fail.h"
#include "base/parallel.h"

namespace spml {
namespace {

void check_size(size_t found, size_t expected, std::string_view what) {
  if (found != expected) fail("expected {} {}, found {}", expected, what, found);
}

void check_parts(LinearParts& parts) {
  const size_t labels = parts.weight.rows(), features = parts.weight.cols();
  if (parts.weight.empty()) fail("expected weights of L x D numbers, found none");
  if (parts.thresholds.empty()) parts.thresholds.assign(labels, 0.5F);
  if (parts.classes.empty()) {
    for (size_t j = 0; j < labels; ++j) parts.classes.push_back(fmt::format("label_{}", j));
  }
  check_size(parts.bias.size(), labels, "biases, one for each row of the weights");
  check_size(parts.thresholds.size(), labels, "thresholds, one for each row of the weights");
  if (parts.slope.empty() && parts.offset.empty()) {
    parts.slope.assign(labels, 1);
    parts.offset.assign(labels, 0);
  }
  check_size(parts.slope.size(), labels, "slopes of calibration, one for each row of the weights");
  check_size(parts.offset.size(), labels,
             "offsets of calibration, one for each row of the weights");
  check_size(parts.classes.size(), labels, "class names, one for each row of the weights");
  const size_t statistics = parts.transform == TransformKind::kStandardize ? features : 0;
  check_size(parts.mean.size(), statistics, "means of features, as the transform asks for");
  check_size(parts.inverse_scale.size(), statistics,
             "scales of features, as the transform asks for");
}

std::unique_ptr<const LinearModel> make_model(const LinearParts& parts) {
  LinearConfig config;
  config.features = parts.weight.cols();
  config.labels = parts.weight.rows();
  config.batch = 1;
  auto model = std::make_unique<LinearModel>(
      config, FeatureTransform{parts.transform, parts.mean, parts.inverse_scale}, nullptr, nullptr);
  model->set_weights(parts.weight.flat(), parts.bias);
  return model;
}

}  // namespace

LinearClassifier::LinearClassifier(std::shared_ptr<const ClassifierState> state)
    : state_(std::move(state)) {}

LinearClassifier::LinearClassifier(LinearParts parts) {
  check_parts(parts);
  auto state = std::make_shared<ClassifierState>();
  state->model = make_model(parts);
  state->classes = std::move(parts.classes);
  state->calibration = {std::move(parts.slope), std::move(parts.offset)};
  state->thresholds = std::move(parts.thresholds);
  state_ = std::move(state);
}

size_t LinearClassifier::labels() const { return state_->model->labels(); }
size_t LinearClassifier::features() const { return state_->model->features(); }
const std::vector<std::string>& LinearClassifier::classes() const { return state_->classes; }
const std::vector<float>& LinearClassifier::thresholds() const { return state_->thresholds; }
const TrainingResult& LinearClassifier::result() const { return state_->result; }

std::string LinearClassifier::result_json() const { return json_text(state_->record.result); }

LinearParts LinearClassifier::parts() const {
  const LinearModel& model = *state_->model;
  LinearParts parts;
  parts.weight = Matrix<float>(model.labels(), model.features(), model.weight());
  parts.bias.assign(model.bias().begin(), model.bias().end());
  parts.transform = model.transform().kind;
  parts.mean = model.transform().mean;
  parts.inverse_scale = model.transform().inverse_scale;
  parts.classes = state_->classes;
  parts.slope = state_->calibration.slope;
  parts.offset = state_->calibration.offset;
  parts.thresholds = state_->thresholds;
  return parts;
}

Matrix<float> LinearClassifier::logits(const Features& features, int threads) const {
  if (features.cols() != this->features()) {
    fail("expected {} features, as the model has, found {}", this->features(), features.cols());
  }
  if (features.rows() > kMaxRows) {
    fail("expected at most {} rows, found {}", kMaxRows, features.rows());
  }
  std::vector<int32_t> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  Matrix<float> out(features.rows(), labels());
  state_->model->score(FeatureMatrix(features), rows, 0, out.view(),
                       threads > 0 ? threads : hardware_threads());
  return out;
}

Matrix<float> LinearClassifier::predict(const Features& features, int threads) const {
  Matrix<float> p = logits(features, threads);
  state_->calibration.apply(0, p.view());
  return p;
}

Matrix<int8_t> LinearClassifier::predict_labels(const Features& features, int threads) const {
  const Matrix<float> p = predict(features, threads);
  Matrix<int8_t> present(p.rows(), p.cols());
  for (size_t i = 0; i < p.rows(); ++i) {
    for (size_t j = 0; j < p.cols(); ++j) present(i, j) = p(i, j) >= state_->thresholds[j];
  }
  return present;
}

}  // namespace spml
