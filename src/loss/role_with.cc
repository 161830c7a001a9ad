#include "loss/role_with.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "base/fail.h"
#include "loss/table.h"

namespace spml {
namespace {

class RoleWith final : public Loss {
 public:
  RoleWith(std::unique_ptr<const Loss> role, std::unique_ptr<const Loss> base)
      : role_(std::move(role)), base_(std::move(base)) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    return sum(in, out);
  }
  double evaluate(const BasicLossInput<double>& in,
                  const BasicLossOutput<double>& out) const override {
    return sum(in, out);
  }

  void review(const LabelReview& label) const override { base_->review(label); }

  // The base's gradient, and whatever it needs itself.
  size_t scratch_per_entry() const override {
    return std::max(role_->scratch_per_entry(), 1 + base_->scratch_per_entry());
  }

 private:
  template <class T>
  double sum(const BasicLossInput<T>& in, const BasicLossOutput<T>& out) const {
    const size_t n = in.logits.size();
    if (out.scratch.size() < scratch_per_entry() * n) {
      fail("loss: expected scratch of {} elements, found {}", scratch_per_entry() * n,
           out.scratch.size());
    }
    const double value = role_->evaluate(in, out);
    BasicLossOutput<T> base_out;
    base_out.relabelled = out.relabelled;
    base_out.scratch = out.scratch.subspan(n);
    if (!out.logits.empty()) base_out.logits = {out.scratch.data(), in.logits.rows, in.logits.cols};
    const double base_value = base_->evaluate(in, base_out);
    if (!out.logits.empty()) {
      for (size_t i = 0; i < n; ++i) out.logits.data[i] += base_out.logits.data[i] / 2;
    }
    return value + base_value / 2;
  }

  std::unique_ptr<const Loss> role_, base_;
};

// A row of the table with the text and the parameters it refers to.
struct CombinedInfo {
  std::string name, summary, formula, source, negatives;
  std::vector<LossParameter> params;
  LossInfo info;

  explicit CombinedInfo(const LossInfo& base)
      : name(fmt::format("role+{}", base.name)),
        summary(fmt::format("role's label estimates around {}", base.name)),
        formula(fmt::format("`({}(f) + mean[-sg(e) log f - (1-sg(e)) log(1-f)] + side(e|f)) / 2`, "
                            "side as in `role`",
                            base.name)),
        source(fmt::format("{}; {}", kRole.source, base.source)),
        negatives(fmt::format("in {}: {}; in side(e|f) as in role", base.name, base.negatives)),
        params(kRole.params.begin(), kRole.params.end()) {
    for (const LossParameter& parameter : base.params) {
      const auto same_name = [&](const LossParameter& p) { return p.name == parameter.name; };
      if (std::none_of(params.begin(), params.end(), same_name)) params.push_back(parameter);
    }
    info = {.name = name,
            .summary = summary,
            .formula = formula,
            .source = source,
            .negatives = negatives,
            .needs = base.needs,
            .needs_k = true,
            .uses_estimates = true,
            .memory = base.memory,
            .row_need = std::max(kRole.row_need, base.row_need),
            .params = params,
            .make = nullptr,
            .base = &base};
  }

  CombinedInfo(const CombinedInfo&) = delete;  // info points into this object
  CombinedInfo& operator=(const CombinedInfo&) = delete;
};

std::deque<CombinedInfo> combine() {
  std::deque<CombinedInfo> rows;
  for (const LossInfo* base : all_losses()) {
    if (!base->uses_estimates && !base->closed_form) rows.emplace_back(*base);
  }
  return rows;
}

}  // namespace

std::span<const LossInfo* const> combined_losses() {
  static const std::deque<CombinedInfo> rows = combine();
  static const std::vector<const LossInfo*> infos = [] {
    std::vector<const LossInfo*> pointers;
    for (const CombinedInfo& row : rows) pointers.push_back(&row.info);
    return pointers;
  }();
  return infos;
}

std::unique_ptr<const Loss> make_role_with(const LossInfo& base, const LossSetup& setup) {
  return std::make_unique<RoleWith>(make_role_without_classifier_epr(setup), base.make(setup));
}

}  // namespace spml
