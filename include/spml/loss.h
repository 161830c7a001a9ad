// The central abstraction: a loss is a batch-level, const, stateless function that gives its value
// and its gradients in one pass. It knows nothing of trainers, files or optimisers, so the same
// object serves the linear trainer, the fine-tuner and any loop of a library user. Derive from Loss
// to train with one of your own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spml/matrix.h"

namespace spml {

// Where several processes share a batch, each with some columns of all its rows or with some rows:
// what a loss can learn of the others. Every process calls the same functions in the same order.
class OtherRanks {
 public:
  virtual ~OtherRanks() = default;

  virtual size_t rows() const = 0;                 // B, of the whole batch
  virtual size_t labels() const = 0;               // L, of the whole rows
  virtual void sum(std::span<double> values) = 0;  // over all processes, in their order
  // Whether gradients must be those of one process to the last bit: where columns are shared.
  virtual bool to_the_last_bit() const = 0;
  // Whole rows (B, L) from this process's columns; valid until the next call.
  virtual View<const float> whole(View<const float> mine) = 0;
};

// What a loss has to know of the part of a batch that another process has.
enum class RowNeed {
  kNothing,  // each label by itself
  kSums,     // a few sums over the whole batch, which the loss asks for
  kRow,      // the other labels of the row
  kBatch,    // the other rows, too
};

// Every matrix is (B, L), row-major, borrowed for the call. T is float in training; double is the
// same formula in double precision, for checks.
template <class T>
struct BasicLossInput {
  View<const T> logits;             // z
  View<const T> estimates;          // u, label-estimate logits; empty unless the loss uses them
  View<const T> frozen_logits;      // z under a stop-gradient; empty = the same numbers as logits
  View<const T> frozen_estimates;   // u under a stop-gradient; empty = the same as estimates
  View<const int8_t> observed;      // +1 positive, 0 unknown, -1 negative
  View<const T> soft_labels;        // pseudo-labels in [0,1], negative = none; empty unless used
  std::span<const int32_t> rows;    // which training rows these are; empty = 0..B-1
  std::span<const T> class_priors;  // (L); empty unless the loss uses them
  // (L): which share of the training rows is observed positive; empty = as in this batch
  std::span<const T> observed_shares;
  int epoch = 1;                 // from 1
  int epochs = 1;                // planned in all
  uint64_t step = 0;             // from 0, over all epochs
  uint64_t seed = 0;             // for losses that sample
  OtherRanks* others = nullptr;  // null: the whole batch is here

  // B and L of the whole batch, which means are taken over.
  size_t rows_in_all() const { return others == nullptr ? logits.rows : others->rows(); }
  size_t labels_in_all() const { return others == nullptr ? logits.cols : others->labels(); }
};

// Where results go. Gradients are overwritten, not added to; an empty view means not requested.
template <class T>
struct BasicLossOutput {
  View<T> logits;           // dLoss/dz, (B, L)
  View<T> estimates;        // dLoss/du, (B, L); empty unless the loss uses estimates
  View<int8_t> relabelled;  // in: a copy of observed; a loss may write permanent new labels
  std::span<T> scratch;     // at least Loss::scratch_per_entry() * B * L; contents undefined
};

using LossInput = BasicLossInput<float>;
using LossOutput = BasicLossOutput<float>;

// One label of all N training rows after an epoch: what a loss sees of them, and what it may change
// for the epochs to come. Spans of what the loss does not keep (see LossMemory) are empty.
struct LabelReview {
  int epoch = 1;                         // the one just done, from 1
  int epochs = 1;                        // planned in all
  std::span<const float> probabilities;  // f, by the classifier as it is now
  std::span<const int8_t> observed;      // as they were given
  std::span<int8_t> labels;              // what the loss finds in `observed` when it trains
  std::span<float> soft_labels;          // in [0, 1]; negative = none
  std::span<float> prior;                // one number: the label's share of the rows
};

// What the trainer keeps for a loss from step to step. The loss itself has no state: it proposes,
// the trainer applies, and checkpoints hold it.
struct LossMemory {
  bool labels = false;       // it relabels for good, in a step (relabelled) or in a review
  bool soft_labels = false;  // pseudo-labels in [0, 1], made in reviews
  bool priors = false;  // class priors, at first the share observed positive; and that share itself
  bool reviews = false;  // review() is called, with the scores of all training rows

  bool any() const { return labels || soft_labels || priors || reviews; }
};

// What a loss wants to find in `observed` when it trains.
enum class LabelNeed {
  kObserved,       // the observed labels as they are
  kNegatives,      // observed positives and some observed negatives (paper: one per row)
  kTruth,          // the full truth: +1 and -1, nothing unknown
  kTrueNegatives,  // observed positives, and -1 at every true negative
};

// What a loss asks of the trainer: the label columns of a table entry, or of a loss of your own.
struct LossTraits {
  std::string name = "own";  // in records and messages
  LabelNeed needs = LabelNeed::kObserved;
  bool needs_k = false;
  bool uses_estimates = false;    // has label-estimate variables, trained beside the classifier
  double estimate_lr_factor = 1;  // of their step size, where there are estimates
  double estimate_start = 0.5;    // where those of unknown labels start
  LossMemory memory = {};
  RowNeed row_need = RowNeed::kBatch;
};

class Loss {
 public:
  virtual ~Loss() = default;

  // The value; gradients go to `out`. Allocates nothing. Where others have the rest of the batch,
  // the value is this process's part of the sum that it is.
  virtual double evaluate(const LossInput& in, const LossOutput& out) const = 0;
  // The same in double precision, for checks; training does not need it. Error unless overridden.
  virtual double evaluate(const BasicLossInput<double>& in,
                          const BasicLossOutput<double>& out) const;

  // Called for every label after every epoch but the last, where LossMemory asks for it.
  virtual void review(const LabelReview&) const {}

  // Elements of scratch needed for each of the B * L entries.
  virtual size_t scratch_per_entry() const { return 0; }

  virtual LossTraits traits() const { return {}; }
};

using LossParameters = std::map<std::string, double, std::less<>>;

// What is known when a loss object is made.
struct LossSetup {
  size_t labels = 0;             // L
  std::optional<double> k = {};  // expected positives per example
  LossParameters params = {};    // given by the user; the rest take their defaults
};

// Checks the set-up and makes a loss of the table, or a combined one. Error naming the nearest
// known loss, or parameter, when there is none of that name.
std::unique_ptr<const Loss> make_loss(std::string_view name, const LossSetup& setup);

struct ParameterDescription {
  std::string name, help;
  double default_value = 0;  // where default_text is not a rule
  std::string default_text;  // 0.1, or a rule such as 1/(L-1)
  double min = 0, max = 0;   // max may be infinite
};

// What there is to know about a loss of the library.
struct LossDescription {
  std::string name;
  std::string summary;  // one line
  std::string formula;  // Markdown
  std::string source;   // where it comes from
  // What an observed negative (o = -1) does; where the loss does not tell it from an unknown label,
  // that it does not.
  std::string negatives;
  LabelNeed needs = LabelNeed::kObserved;
  bool needs_k = false;
  bool uses_estimates = false;
  bool closed_form = false;  // linear classifiers are solved for instead of trained by steps
  LossMemory memory = {};
  RowNeed row_need = RowNeed::kBatch;
  std::vector<ParameterDescription> params;
};

// Every loss: the paper's in its order, then newer ones, then role+X for each of them that is
// trained by steps and has no label estimates of its own.
std::vector<LossDescription> losses();
LossDescription describe_loss(std::string_view name);

std::string_view to_string(LabelNeed need);
std::string_view to_string(RowNeed need);

// The labels a loss trains on, (n, L), from what was observed and, where it needs it, what is true
// (0 or 1). Either may be empty; Error where the loss needs it.
Matrix<int8_t> labels_for(const LossTraits& traits, View<const int8_t> observed,
                          View<const int8_t> truth);

// A loss with its gradients in memory of their own.
template <class T>
struct LossValue {
  double value = 0;
  Matrix<T> dlogits;          // (B, L)
  Matrix<T> destimates;       // (B, L); empty unless the loss uses estimates
  Matrix<int8_t> relabelled;  // (B, L); empty unless the loss relabels
};
LossValue<float> evaluate(const Loss& loss, const LossInput& in);
LossValue<double> evaluate(const Loss& loss, const BasicLossInput<double>& in);

}  // namespace spml
