// Training and using a linear multi-label classifier.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spml/data.h"
#include "spml/features.h"
#include "spml/matrix.h"
#include "spml/options.h"
#include "spml/result.h"

namespace spml {

// What a classifier computes with: z = W t(x) + b, p = sigmoid(z), present where p >= threshold.
struct LinearParts {
  Matrix<float> weight;     // W, (L, D)
  std::vector<float> bias;  // b, (L)
  TransformKind transform = TransformKind::kNone;
  std::vector<float> mean, inverse_scale;  // (D) each for kStandardize
  std::vector<std::string> classes;        // L names; empty: label_0 ..
  // Calibration: the probability of label j is sigmoid(slope_j * logit + offset_j). (L) each;
  // empty: the sigmoid alone.
  std::vector<double> slope, offset;
  std::vector<float> thresholds;  // (L), of those probabilities; empty: 0.5 each
};

// A trained classifier. It never changes: copies share their memory, and several threads may use
// one object at once.
class LinearClassifier {
 public:
  explicit LinearClassifier(LinearParts parts);  // Error unless the sizes fit together

  // A run folder made by save(), by train() or by `spml train`.
  static LinearClassifier load(const std::filesystem::path& folder);
  // Writes the folder that load(), `spml predict` and `spml evaluate` read.
  void save(const std::filesystem::path& folder, Existing existing = Existing::kRefuse) const;

  size_t labels() const;    // L
  size_t features() const;  // D
  const std::vector<std::string>& classes() const;
  const std::vector<float>& thresholds() const;  // (L), of predict(), from the validation rows
  const TrainingResult& result() const;          // how it was trained; empty when made from parts
  std::string result_json() const;               // the same as the text of result.json
  LinearParts parts() const;

  // (N, L) for features (N, D). Every call may use up to `threads` threads; 0: all cores.
  Matrix<float> logits(const Features& features, int threads = 1) const;
  Matrix<float> predict(const Features& features, int threads = 1) const;          // calibrated
  Matrix<int8_t> predict_labels(const Features& features, int threads = 1) const;  // 0 or 1

  // For the library itself.
  explicit LinearClassifier(std::shared_ptr<const struct ClassifierState> state);

 private:
  std::shared_ptr<const ClassifierState> state_;
};

// Arrays to train on, borrowed for the call. Rows of `features`, `observed` and `truth` belong
// together.
struct TrainingData {
  Features features = {};            // (N, D)
  View<const int8_t> observed = {};  // (N, L): +1 positive, 0 unknown, -1 negative
  View<const int8_t> truth = {};     // (N, L), 0 or 1; may be empty
  Features test_features = {};       // for the metrics of result(); may be empty
  View<const int8_t> test_truth = {};
  std::vector<std::string> classes = {};  // L names; empty: label_0 ..
};

// The classifier of the best epoch. With the truth, that epoch is chosen on full labels, else on
// the observed ones. The same data and options give the same model, whatever the number of threads.
LinearClassifier train(const TrainingData& data, const TrainOptions& options = {});
LinearClassifier train(const DataFolder& data, const TrainOptions& options = {});

}  // namespace spml
