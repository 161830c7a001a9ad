#include "loss/table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/text.h"
#include "loss/document.h"
#include "loss/role_with.h"

namespace spml {
namespace {

#define SPML_POINTER(name) &(name),
constexpr const LossInfo* kLosses[] = {SPML_LOSS_TABLE(SPML_POINTER)};
#undef SPML_POINTER

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(item)>>) {
      names.emplace_back(item->name);
    } else {
      names.emplace_back(item.name);
    }
  }
  return names;
}

[[noreturn]] void fail_unknown_parameter(const LossInfo& info, const std::string& name) {
  const std::vector<std::string> known = names_of(info.params);
  if (known.empty()) fail_usage("loss {} has no parameters; found '{}'", info.name, name);
  fail_usage("loss {} has no parameter '{}'{} (it has {})", info.name, name,
             did_you_mean(name, known), fmt::join(known, ", "));
}

void check_range(const LossInfo& info, const LossParameter& parameter, double value) {
  if (std::isfinite(value) && value >= parameter.min && value <= parameter.max) return;
  fail_usage("loss {}: parameter {} must be {}, found {}", info.name, parameter.name,
             range_text(parameter), value);
}

void check_k(const LossInfo& info, const LossSetup& setup) {
  if (!info.needs_k) return;
  if (!setup.k) {
    fail_usage(
        "loss {} needs k, the expected number of positives per example: give --k, or "
        "expected_positives in dataset.json, or estimate it with spml estimate-k",
        info.name);
  }
  const double k = *setup.k, L = static_cast<double>(setup.labels);
  if (!(k >= 0 && k <= L)) {
    fail_usage("loss {}: expected k in [0, {}], the number of labels, found {}", info.name, L, k);
  }
}

// A loss with what its row of the table says about it, for who has only the object.
class TableLoss final : public Loss {
 public:
  TableLoss(std::unique_ptr<const Loss> loss, LossTraits traits)
      : loss_(std::move(loss)), traits_(std::move(traits)) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    return loss_->evaluate(in, out);
  }
  double evaluate(const BasicLossInput<double>& in,
                  const BasicLossOutput<double>& out) const override {
    return loss_->evaluate(in, out);
  }
  void review(const LabelReview& label) const override { loss_->review(label); }
  size_t scratch_per_entry() const override { return loss_->scratch_per_entry(); }
  LossTraits traits() const override { return traits_; }

 private:
  std::unique_ptr<const Loss> loss_;
  LossTraits traits_;
};

LossTraits traits_of(const LossInfo& info, const LossParameters& params) {
  LossTraits traits;
  traits.name = info.name;
  traits.needs = info.needs;
  traits.needs_k = info.needs_k;
  traits.uses_estimates = info.uses_estimates;
  if (info.uses_estimates) {
    traits.estimate_lr_factor = params.at("estimate_lr_factor");
    traits.estimate_start = params.at("estimate_start");
  }
  traits.memory = info.memory;
  traits.row_need = info.row_need;
  return traits;
}

}  // namespace

double Loss::evaluate(const BasicLossInput<double>&, const BasicLossOutput<double>&) const {
  fail("loss {} has no double-precision version", traits().name);
}

std::span<const LossInfo* const> all_losses() { return kLosses; }

const LossInfo& find_loss(std::string_view name) {
  for (const auto losses : {all_losses(), combined_losses()}) {
    for (const LossInfo* info : losses) {
      if (info->name == name) return *info;
    }
  }
  const std::vector<std::string> names = names_of(kLosses);
  std::vector<std::string> candidates = names_of(combined_losses());
  candidates.insert(candidates.begin(), names.begin(), names.end());
  fail_usage("unknown loss '{}'{} (known: {}, and role+X with X one of these)", name,
             did_you_mean(name, candidates), fmt::join(names, ", "));
}

LossParameters resolve_parameters(const LossInfo& info, const LossSetup& setup) {
  for (const auto& given : setup.params) {
    const bool known = std::any_of(info.params.begin(), info.params.end(),
                                   [&](const auto& p) { return p.name == given.first; });
    if (!known) fail_unknown_parameter(info, given.first);
  }
  LossParameters values;
  LossParameters known;  // what rules may refer to
  if (setup.k) known.emplace("k", *setup.k);
  for (const LossParameter& parameter : info.params) {
    const auto given = setup.params.find(parameter.name);
    double value = parameter.default_value;
    if (given != setup.params.end()) {
      value = given->second;
    } else if (parameter.default_rule != nullptr) {
      value = parameter.default_rule(setup.labels, known);
    }
    check_range(info, parameter, value);
    values.emplace(parameter.name, value);
    known.emplace(parameter.name, value);
  }
  return values;
}

std::unique_ptr<const Loss> make_loss(std::string_view name, const LossSetup& setup) {
  const LossInfo& info = find_loss(name);
  if (setup.labels == 0) fail("loss {}: expected at least one label, found none", name);
  check_k(info, setup);
  LossSetup resolved = setup;
  resolved.params = resolve_parameters(info, setup);
  auto loss = info.base != nullptr ? make_role_with(*info.base, resolved) : info.make(resolved);
  return std::make_unique<TableLoss>(std::move(loss), traits_of(info, resolved.params));
}

std::string_view to_string(RowNeed need) {
  switch (need) {
    case RowNeed::kNothing:
      return "nothing";
    case RowNeed::kSums:
      return "sums of the batch";
    case RowNeed::kRow:
      return "whole rows";
    case RowNeed::kBatch:
      break;
  }
  return "the whole batch";
}

std::string_view to_string(LabelNeed need) {
  switch (need) {
    case LabelNeed::kObserved:
      return "observed labels";
    case LabelNeed::kNegatives:
      return "observed positives and negatives";
    case LabelNeed::kTruth:
      return "full truth";
    case LabelNeed::kTrueNegatives:
      return "observed positives and true negatives";
  }
  return "";
}

}  // namespace spml
