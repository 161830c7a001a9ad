// How train() is called: the settings of the run, where it goes, and who watches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "spml/loss.h"
#include "spml/result.h"
#include "spml/settings.h"

namespace spml {

// A loss of the library by its name, or one of your own. "auto": a search chooses it, and with it
// the settings that SettingDescription calls searched.
class LossChoice {
 public:
  LossChoice(const char* name) : name_(name) {}
  LossChoice(std::string name) : name_(std::move(name)) {}
  template <class L>
  requires std::is_base_of_v<Loss, L> LossChoice(std::shared_ptr<L> loss)
      : name_(loss->traits().name), loss_(std::move(loss)) {}
  template <class L>
  requires std::is_base_of_v<Loss, L> LossChoice(std::unique_ptr<L> loss)
      : LossChoice(std::shared_ptr<L>(std::move(loss))) {}

  const std::string& name() const { return name_; }
  const std::shared_ptr<const Loss>& object() const { return loss_; }  // null for a name

 private:
  std::string name_;
  std::shared_ptr<const Loss> loss_;
};

// Where a run stands after a step.
struct StepProgress {
  uint64_t step = 0;  // steps taken
  uint64_t total = 0;
  int epoch = 1;  // the one that the step belongs to
};

struct TrainOptions : TrainSettings {
  LossChoice loss = "auto";
  int threads = 0;  // 0: all cores; the model does not depend on it

  // Only for the search.
  std::optional<size_t> trials;      // runs that it may train, 56; the choice depends on it
  std::optional<double> time_limit;  // seconds after which it starts no more runs
  bool refit = false;  // train what was chosen once more, on training and validation rows

  // Where to train: a run folder as `spml train` makes them, with checkpoints; empty: in memory.
  std::filesystem::path out;
  Existing existing = Existing::kRefuse;

  // Called on the thread that trains; any may be empty. An exception ends the training.
  std::function<void(const EpochRecord&)> on_epoch;
  std::function<void(const StepProgress&)> on_step;
  std::function<void(const std::string& text)> on_notice;  // what was decided for the caller
  // Either ends the training after the running step, with an Error of kind kInterrupted.
  std::stop_token stop;
  std::function<bool()> stop_requested;
};

}  // namespace spml
