// The settings of a training run that a linear classifier has, with their defaults. `spml train`
// has a flag for each, Python a keyword; docs/reference.md says more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spml/choices.h"
#include "spml/data.h"
#include "spml/loss.h"

namespace spml {

// Beside its loss and its steps, how a classifier comes about.
struct ClassifierSettings {
  double weight_decay = 0;
  int average = 1;           // classifiers that differ in their seed, of which the mean is kept
  bool blend_ridge = false;  // the mean of that and of what the loss `ridge` gives
};

struct TrainSettings : ClassifierSettings {
  LossParameters params;  // of a loss given by name; the rest take their defaults
  EstimatorChoice estimator;
  std::optional<double> lr;   // 1e-3
  std::optional<int> epochs;  // 25
  size_t batch = 16;
  uint64_t seed = 0;
  std::optional<double> k;  // expected positives per example; else dataset.json's, else the truth's
  TransformKind transform = TransformKind::kNone;
  int patience = 0;           // stop after this many epochs without a better one; 0 = never
  double min_delta = 0;       // points of MAP by which an epoch must be better to count for that
  double val_fraction = 0.2;  // of the rows, held out to choose the best epoch
  uint32_t split_seed = 1200;
  double subsample = 1;                      // share of the other rows that is trained on
  Select select = Select::kClean;            // kObserved where there is no truth
  std::optional<ObserveOptions> observe;     // draw the observed labels from the truth
  bool record_unobserved_positives = false;  // a histogram an epoch; needs the truth
};

// A setting by its name, as Python has it: val_fraction.
struct SettingDescription {
  std::string name, help, default_text;
  std::vector<std::string> choices;  // of a setting that takes a word
  bool searched = false;  // the search chooses it, so that it cannot be given beside loss = "auto"
};

// All but the loss.
std::vector<SettingDescription> train_settings();

// The value as `spml train` takes it: set(options, "weight_decay", "1e-4"). Error naming the
// setting unless it is one, and the value a legal one.
void set(TrainSettings& settings, std::string_view name, const std::string& value);

}  // namespace spml
