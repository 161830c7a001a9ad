// Training and using a linear multi-label classifier from arrays in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spml/loss.h"
#include "spml/view.h"

namespace spml {

struct LinearOptions {
  std::string loss = "role";
  LossParameters params;
  std::optional<double> k;  // expected positives per example; epr and role need it or the truth
  double lr = 1e-3;
  size_t batch = 16;
  int epochs = 25;
  int patience = 0;  // stop after so many epochs without a better one; 0 = never
  double weight_decay = 0;
  std::string transform = "none";  // of the features: none, sqrt, l2 or standardize
  double val_fraction = 0.2;       // held out to choose the best epoch
  uint64_t seed = 0;
  int threads = 1;
  std::function<void(int epoch, double train_loss, double val_map)> on_epoch;
};

class LinearClassifier {
 public:
  // features (N, D); observed (N, L): +1 positive, 0 unknown, -1 negative. With the truth (N, L),
  // 0 or 1, the best epoch is chosen on full labels, else on the observed ones. The views are
  // borrowed for the call. Throws spml::Error.
  static LinearClassifier train(View<const float> features, View<const int8_t> observed,
                                const LinearOptions& options = {}, View<const int8_t> truth = {});

  // The model of a run folder made by `spml train`.
  static LinearClassifier load(const std::string& run_folder);

  LinearClassifier(LinearClassifier&&) noexcept;
  LinearClassifier& operator=(LinearClassifier&&) noexcept;
  ~LinearClassifier();

  size_t labels() const;              // L
  size_t features() const;            // D
  std::vector<float> weight() const;  // (L, D)
  std::vector<float> bias() const;    // (L)

  // Probabilities (N, L), row-major.
  std::vector<float> predict(View<const float> features) const;

 private:
  struct State;
  explicit LinearClassifier(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace spml
