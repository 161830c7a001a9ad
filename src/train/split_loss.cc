#include "train/split_loss.h"

#include "base/fail.h"

namespace spml {
namespace {

class OthersLabels final : public OtherRanks {
 public:
  explicit OthersLabels(const LabelPart& part) : part_(part) {}

  void set_rows(size_t rows) { rows_ = rows; }
  size_t rows() const override { return rows_; }
  size_t labels() const override { return part_.all; }
  bool to_the_last_bit() const override { return true; }
  void sum(std::span<double> values) override { part_.cluster->sum(values); }
  View<const float> whole(View<const float> mine) override {
    all_gather_columns(part_, mine, whole_);
    return {whole_.data(), mine.rows, part_.all};
  }

 private:
  LabelPart part_;
  size_t rows_ = 0;
  std::vector<float> whole_;
};

class OthersRows final : public OtherRanks {
 public:
  OthersRows(Cluster& cluster, size_t rows, size_t labels)
      : cluster_(cluster), rows_(rows), labels_(labels) {}

  size_t rows() const override { return rows_; }
  size_t labels() const override { return labels_; }
  bool to_the_last_bit() const override { return false; }
  void sum(std::span<double> values) override { cluster_.sum(values); }
  View<const float> whole(View<const float>) override { fail("rows of other ranks do not move"); }

 private:
  Cluster& cluster_;
  size_t rows_, labels_;
};

// Each process evaluates its own columns.
class LossOfColumns final : public Loss {
 public:
  LossOfColumns(std::shared_ptr<const Loss> loss, const LabelPart& part)
      : loss_(std::move(loss)), others_(part) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    LossInput split = in;
    others_.set_rows(in.logits.rows);
    split.others = &others_;
    return loss_->evaluate(split, out);
  }
  void review(const LabelReview& label) const override { loss_->review(label); }
  size_t scratch_per_entry() const override { return loss_->scratch_per_entry(); }
  LossTraits traits() const override { return loss_->traits(); }

 private:
  std::shared_ptr<const Loss> loss_;
  mutable OthersLabels others_;
};

// Each process evaluates its rows of the batch.
class LossOfSomeRows final : public Loss {
 public:
  LossOfSomeRows(std::shared_ptr<const Loss> loss, Cluster& cluster, size_t batch, size_t labels)
      : loss_(std::move(loss)), others_(cluster, batch, labels) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    LossInput split = in;
    split.others = &others_;
    return loss_->evaluate(split, out);
  }
  size_t scratch_per_entry() const override { return loss_->scratch_per_entry(); }
  LossTraits traits() const override { return loss_->traits(); }

 private:
  std::shared_ptr<const Loss> loss_;
  mutable OthersRows others_;
};

// Each process evaluates whole rows, and takes its columns of the gradients.
class LossOfRows final : public Loss {
 public:
  LossOfRows(std::shared_ptr<const Loss> loss, const LabelPart& part)
      : loss_(std::move(loss)), part_(part) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    const size_t B = in.logits.rows, L = part_.all;
    LossInput whole = in;
    LossOutput results;
    all_gather_columns(part_, in.logits, logits_);
    whole.logits = {logits_.data(), B, L};
    all_gather_columns(part_, in.observed, observed_);
    whole.observed = {observed_.data(), B, L};
    dlogits_.resize(B * L);
    results.logits = {dlogits_.data(), B, L};
    if (has_estimates_ || !in.estimates.empty()) {
      all_gather_columns(part_, in.estimates, estimates_);
      whole.estimates = {estimates_.data(), B, L};
      destimates_.resize(B * L);
      results.estimates = {destimates_.data(), B, L};
    }
    if (!out.relabelled.empty()) {
      relabelled_ = observed_;
      results.relabelled = {relabelled_.data(), B, L};
    }
    scratch_.resize(B * L * loss_->scratch_per_entry());
    results.scratch = scratch_;
    const double value = loss_->evaluate(whole, results);
    take_columns(results.logits, out.logits);
    if (!out.estimates.empty()) take_columns(results.estimates, out.estimates);
    if (!out.relabelled.empty()) take_columns(results.relabelled, out.relabelled);
    return part_.cluster->is_first() ? value : 0;
  }
  void review(const LabelReview& label) const override { loss_->review(label); }
  LossTraits traits() const override { return loss_->traits(); }

 private:
  template <class T>
  void take_columns(View<T> from, View<T> to) const {
    for (size_t b = 0; b < to.rows; ++b) {
      std::copy_n(from.row(b) + part_.first, part_.count, to.row(b));
    }
  }

  std::shared_ptr<const Loss> loss_;
  LabelPart part_;
  bool has_estimates_ = loss_->traits().uses_estimates;
  mutable std::vector<float> logits_, estimates_;
  mutable std::vector<int8_t> observed_, relabelled_;
  mutable AlignedVector<float> dlogits_, destimates_, scratch_;
};

}  // namespace

std::shared_ptr<const Loss> split_loss(std::shared_ptr<const Loss> loss, const LossInfo& info,
                                       const LabelPart& part) {
  if (!part.is_split()) return loss;
  if (info.row_need < RowNeed::kRow) {
    return std::make_shared<LossOfColumns>(std::move(loss), part);
  }
  if (info.memory.soft_labels || info.memory.priors) {
    fail(
        "loss {} needs whole rows and keeps {}, which several ranks cannot share yet; give "
        "--distributed off",
        info.name, info.memory.soft_labels ? "soft labels" : "class priors");
  }
  return std::make_shared<LossOfRows>(std::move(loss), part);
}

std::shared_ptr<const Loss> split_loss(std::shared_ptr<const Loss> loss, const LossInfo& info,
                                       const RowPart& part, size_t batch, size_t labels) {
  if (!part.is_split()) return loss;
  if (info.memory.reviews) {
    fail(
        "loss {} looks at the scores of all training rows, and --shard-by rows keeps them apart; "
        "give --shard-by labels",
        info.name);
  }
  if (part.sync_every > 1) return loss;  // local steps: a batch is one rank's
  if (info.memory.any() || info.row_need == RowNeed::kBatch) {
    fail(
        "loss {} needs the whole batch, of which --shard-by rows --sync-every 1 gives a rank some "
        "rows; give --shard-by labels, or --sync-every 2 or more",
        info.name);
  }
  return std::make_shared<LossOfSomeRows>(std::move(loss), *part.cluster, batch, labels);
}

}  // namespace spml
