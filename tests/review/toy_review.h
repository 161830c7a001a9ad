// A small data folder with a trained run, and a review of it.
#pragma once

#include <memory>

#include "data/synth.h"
#include "review/review.h"
#include "run/run.h"
#include "testing.h"

namespace spml::review {

class ToyReview {
 public:
  static constexpr size_t kRows = 120, kLabels = 6;

  explicit ToyReview(size_t rows = kRows) {
    SynthOptions options;
    options.rows = rows;
    options.labels = kLabels;
    options.features = 16;
    std::filesystem::create_directory(data());
    write_synthetic(data(), options);
    TrainConfig config;
    config.loss = "an";
    config.epochs = 2;
    RunOptions run_options;
    run_options.out = run();
    run_training(open_dataset(data()), config, run_options);
  }

  Path data() const { return folder_ / "data"; }
  Path run() const { return folder_ / "run"; }
  Path out() const { return folder_ / "review"; }
  Path operator/(const std::string& name) const { return folder_ / name; }

  ReviewOptions options() const {
    ReviewOptions options;
    options.data = data();
    options.run = run();
    options.out = out();
    options.reviewer = "ann";
    return options;
  }
  std::unique_ptr<Review> open() const { return std::make_unique<Review>(options()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace spml::review
