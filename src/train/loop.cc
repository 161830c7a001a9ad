#include "train/loop.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/rng.h"

namespace spml {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

LoopEvents until(const std::function<bool()>& requested, const std::string& words) {
  LoopEvents events;
  if (!requested) return events;
  events.between_parts = [requested, words] {
    if (requested()) throw Error(words, Error::Kind::kInterrupted);
  };
  events.after_step = [stop = events.between_parts](const LoopState&) { stop(); };
  return events;
}

Loop::Loop(const LoopPlan& plan, const Loss& loss, Model& model, LabelEstimator* estimator,
           TrainingLabels& labels, const Evaluator& validation, LabelMemory* memory)
    : plan_(plan),
      loss_(loss),
      model_(model),
      estimator_(estimator),
      labels_(labels),
      validation_(validation),
      memory_(memory),
      order_(plan.row_part.is_split() && !plan.row_part.has_local_steps() ? plan.rows_in_all
                                                                          : plan.rows.size()),
      file_rows_(plan.batch) {
  const size_t floats = 1 + loss.scratch_per_entry() + (estimator != nullptr ? 2 : 0);
  MemoryBudget().require(
      saturating_product(plan.batch, labels.labels(), sizeof(int8_t) + floats * sizeof(float)),
      fmt::format("a batch of {} rows x {} labels", plan.batch, labels.labels()));
  const size_t entries = plan.batch * labels.labels();
  observed_.resize(entries);
  dlogits_.resize(entries);
  scratch_.resize(entries * loss.scratch_per_entry());
  if (estimator_ != nullptr) {
    estimates_.resize(entries);
    destimates_.resize(entries);
  }
}

// A state from a file must be one that this loop can be in.
void Loop::check_state() const {
  const uint64_t epochs = state_.epochs.size(), first = epochs * plan_.steps_per_epoch();
  const bool in_epoch = state_.step >= first && state_.step <= first + plan_.steps_per_epoch();
  const bool has_best =
      epochs == 0 ? state_.best_epoch == 0
                  : state_.best_epoch >= 1 && static_cast<uint64_t>(state_.best_epoch) <= epochs;
  bool in_order = true;
  for (size_t i = 0; i < epochs; ++i) {
    in_order &= state_.epochs[i].epoch == static_cast<int64_t>(i) + 1;
  }
  if (epochs > static_cast<uint64_t>(plan_.epochs) || !in_epoch || !has_best || !in_order) {
    fail(
        "the checkpoint says step {}, {} epochs done, best epoch {}, which do not go together; "
        "start again with --overwrite",
        state_.step, epochs, state_.best_epoch);
  }
}

void Loop::run(const LoopEvents& events) {
  check_state();
  const uint64_t per_epoch = plan_.steps_per_epoch();
  while (static_cast<int>(state_.epochs.size()) < plan_.epochs && !out_of_patience()) {
    const int epoch = static_cast<int>(state_.epochs.size()) + 1;
    begin_epoch(epoch);
    const uint64_t end = per_epoch * static_cast<uint64_t>(epoch);
    while (state_.step < end) {
      const Stopwatch watch;
      const size_t first = (state_.step - (end - per_epoch)) * plan_.batch;
      const auto remaining = std::span<const int32_t>(order_).subspan(first);
      const auto later = remaining.subspan(plan_.batch);
      model_.set_progress((static_cast<double>(state_.step) + 0.5) /
                          static_cast<double>(per_epoch * static_cast<uint64_t>(plan_.epochs)));
      state_.loss_sum +=
          step(rows_here(remaining.first(plan_.batch), here_),
               rows_here(later.first(std::min(plan_.batch, later.size())), later_here_), epoch);
      ++state_.step;
      const bool together = in_step(end);
      if (together) model_.average_over_ranks();
      const double seconds = watch.seconds();
      state_.train_seconds += seconds;
      state_.epoch_seconds += seconds;
      if (together && events.checkpoint_due && events.checkpoint_due(state_)) {
        model_.finish_step();
        events.checkpoint(state_);
      }
      if (events.after_step) events.after_step(state_);
    }
    end_epoch(epoch);
    if (events.after_epoch) events.after_epoch(state_.epochs.back());
  }
  model_.restore_best();
}

void Loop::fail_diverged(const std::string& what, int epoch) const {
  fail(
      "training diverged at epoch {}, after {} steps: {}; try a smaller step (--lr), or check the "
      "scale of the features (--transform standardize)",
      epoch, state_.step, what);
}

bool Loop::in_step(uint64_t end) const {
  if (!plan_.row_part.has_local_steps()) return true;
  return state_.step % plan_.row_part.sync_every == 0 || state_.step == end;
}

std::span<const int32_t> Loop::rows_here(std::span<const int32_t> rows,
                                         std::vector<int32_t>& buffer) {
  if (!plan_.row_part.is_split() || plan_.row_part.has_local_steps()) return rows;
  buffer.clear();
  for (const int32_t row : rows) {
    const auto i = static_cast<size_t>(row) - plan_.first_row;  // past the end for rows before
    if (i < plan_.rows.size()) buffer.push_back(static_cast<int32_t>(i));
  }
  return buffer;
}

void Loop::begin_epoch(int epoch) {
  std::iota(order_.begin(), order_.end(), 0);
  auto key = static_cast<uint64_t>(epoch);
  if (plan_.row_part.has_local_steps()) {
    key |= static_cast<uint64_t>(plan_.row_part.cluster->rank()) << 32;
  }
  CounterRng random(plan_.seed, Stream::kBatchOrder, key);
  for (size_t i = order_.size(); i-- > 1;) std::swap(order_[i], order_[random.below(i + 1)]);
}

// Rows are read in random order, from memory that may be far away: ask for the next batch's while
// this one's loss is computed.
void Loop::prefetch(std::span<const int32_t> local_rows) {
  next_rows_.clear();
  for (const int32_t row : local_rows) {
    next_rows_.push_back(plan_.rows[static_cast<size_t>(row)]);
    labels_.prefetch_row(static_cast<size_t>(next_rows_.back()));
  }
  model_.prefetch(next_rows_);
  if (estimator_ != nullptr) estimator_->prefetch(local_rows);
}

double Loop::step(std::span<const int32_t> local_rows, std::span<const int32_t> later_rows,
                  int epoch) {
  const size_t batch = local_rows.size(), labels = labels_.labels();
  file_rows_.resize(batch);
  for (size_t b = 0; b < batch; ++b) {
    file_rows_[b] = plan_.rows[static_cast<size_t>(local_rows[b])];
    labels_.read_row(static_cast<size_t>(file_rows_[b]), {observed_.data() + b * labels, labels});
  }
  LossInput in;
  in.logits = model_.forward(file_rows_);
  prefetch(later_rows);
  in.observed = {observed_.data(), batch, labels};
  in.rows = local_rows;
  if (plan_.first_row > 0) {  // losses that draw draw for a row what one process would
    global_rows_.clear();
    for (const int32_t row : local_rows) {
      global_rows_.push_back(row + static_cast<int32_t>(plan_.first_row));
    }
    in.rows = global_rows_;
  }
  in.epoch = epoch;
  in.epochs = plan_.epochs;
  in.step = state_.step;
  in.seed = plan_.seed;
  LossOutput out;
  out.logits = {dlogits_.data(), batch, labels};
  out.scratch = scratch_;
  if (memory_ != nullptr) memory_->fetch(local_rows, {observed_.data(), batch, labels}, in, out);
  if (estimator_ != nullptr) {
    const View<float> estimates{estimates_.data(), batch, labels};
    estimator_->fetch(local_rows, estimates);
    in.estimates = estimates;
    out.estimates = {destimates_.data(), batch, labels};
  }
  const double value = loss_.evaluate(in, out);
  if (!std::isfinite(value)) fail_diverged(fmt::format("the loss is {}", value), epoch);
  model_.backward(out.logits);
  if (estimator_ != nullptr) estimator_->apply(local_rows, out.estimates);
  if (memory_ != nullptr) memory_->apply(local_rows);
  return value;
}

void Loop::end_epoch(int epoch) {
  const Stopwatch watch;
  model_.finish_step();
  state_.train_seconds += watch.seconds();

  const Evaluation validation = validation_.evaluate(model_);
  if (!std::isfinite(validation.khat)) fail_diverged("a validation score is not finite", epoch);
  const bool better =
      plan_.keep_last || state_.best_epoch == 0 || validation.map.map > state_.best_val_map;
  if (better) {
    state_.best_epoch = epoch;
    state_.best_val_map = validation.map.map;
    model_.keep_best();
    if (estimator_ != nullptr) estimator_->keep_best();
  }
  EpochRecord record;
  record.epoch = epoch;
  record.train_loss = state_.loss_sum / static_cast<double>(plan_.steps_per_epoch());
  record.val_map = validation.map.map;
  record.khat = validation.khat;
  if (estimator_ != nullptr) record.khat_estimates = mean_positives(*estimator_);
  if (plan_.cluster != nullptr) sum_over_processes(record);
  if (!std::isfinite(record.train_loss)) fail_diverged("the loss is not finite", epoch);
  if (!std::isfinite(record.khat_estimates.value_or(0))) {
    fail_diverged("a label estimate is not a number", epoch);
  }
  if (memory_ != nullptr && epoch < plan_.epochs) {
    memory_->review(loss_, model_, epoch, plan_.epochs);
  }
  record.seconds = state_.epoch_seconds + watch.seconds();
  state_.epochs.push_back(record);
  state_.loss_sum = 0;
  state_.epoch_seconds = 0;
}

// Each has the sums of its labels, or the means over its rows.
void Loop::sum_over_processes(EpochRecord& record) {
  double sums[] = {record.train_loss, record.khat_estimates.value_or(0)};
  if (plan_.row_part.is_split()) {
    sums[1] *= static_cast<double>(plan_.rows.size()) / static_cast<double>(plan_.rows_in_all);
  }
  if (plan_.row_part.has_local_steps()) sums[0] /= plan_.cluster->size();
  plan_.cluster->sum(std::span<double>(sums));
  record.train_loss = sums[0];
  if (estimator_ != nullptr) record.khat_estimates = sums[1];
}

bool Loop::out_of_patience() const {
  if (plan_.patience == 0 || state_.epochs.empty()) return false;
  const EpochRecord* better = &state_.epochs.front();
  for (const EpochRecord& epoch : state_.epochs) {
    if (epoch.val_map > better->val_map + plan_.min_delta) better = &epoch;
  }
  return state_.epochs.back().epoch - better->epoch >= plan_.patience;
}

}  // namespace spml
