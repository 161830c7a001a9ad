// include/spml/loss.h: the table of losses as users of the library see it, and one call of a loss.
#include "base/fail.h"
#include "loss/document.h"
#include "loss/info.h"
#include "loss/labels.h"

namespace spml {
namespace {

LossDescription describe(const LossInfo& info) {
  LossDescription description;
  description.name = info.name;
  description.summary = info.summary;
  description.formula = info.formula;
  description.source = info.source;
  description.negatives = info.negatives;
  description.needs = info.needs;
  description.needs_k = info.needs_k;
  description.uses_estimates = info.uses_estimates;
  description.closed_form = info.closed_form;
  description.memory = info.memory;
  description.row_need = info.row_need;
  for (const LossParameter& parameter : info.params) {
    ParameterDescription& p = description.params.emplace_back();
    p.name = parameter.name;
    p.help = parameter.help;
    p.default_value = parameter.default_value;
    p.default_text = default_text(parameter);
    p.min = parameter.min;
    p.max = parameter.max;
  }
  return description;
}

template <class T>
LossValue<T> evaluate_one(const Loss& loss, const BasicLossInput<T>& in) {
  const LossTraits traits = loss.traits();
  const size_t B = in.logits.rows, L = in.logits.cols;
  LossValue<T> result;
  result.dlogits = Matrix<T>(B, L);
  std::vector<T> scratch(loss.scratch_per_entry() * B * L);
  BasicLossOutput<T> out;
  out.logits = result.dlogits.view();
  out.scratch = scratch;
  if (traits.uses_estimates) {
    result.destimates = Matrix<T>(B, L);
    out.estimates = result.destimates.view();
  }
  if (traits.memory.labels) {
    result.relabelled = Matrix<int8_t>(in.observed);
    out.relabelled = result.relabelled.view();
  }
  result.value = loss.evaluate(in, out);
  return result;
}

}  // namespace

std::vector<LossDescription> losses() {
  std::vector<LossDescription> descriptions;
  for (const auto table : {all_losses(), combined_losses()}) {
    for (const LossInfo* info : table) descriptions.push_back(describe(*info));
  }
  return descriptions;
}

LossDescription describe_loss(std::string_view name) { return describe(find_loss(name)); }

Matrix<int8_t> labels_for(const LossTraits& traits, View<const int8_t> observed,
                          View<const int8_t> truth) {
  const View<const int8_t> shape = observed.empty() ? truth : observed;
  if (shape.empty())
    fail("loss {}: expected observed labels or the truth, found neither", traits.name);
  if (!observed.empty() && !truth.empty() &&
      (observed.rows != truth.rows || observed.cols != truth.cols)) {
    fail("loss {}: expected observed labels and truth of one shape, found {} x {} and {} x {}",
         traits.name, observed.rows, observed.cols, truth.rows, truth.cols);
  }
  if (observed.empty() && traits.needs != LabelNeed::kTruth) {
    fail("loss {} needs {}, and there are no observed labels", traits.name,
         to_string(traits.needs));
  }
  LossInfo info;
  info.name = traits.name;
  info.needs = traits.needs;
  Matrix<int8_t> labels(shape.rows, shape.cols);
  prepare_labels(info, observed, truth, labels.view());
  return labels;
}

LossValue<float> evaluate(const Loss& loss, const LossInput& in) { return evaluate_one(loss, in); }
LossValue<double> evaluate(const Loss& loss, const BasicLossInput<double>& in) {
  return evaluate_one(loss, in);
}

}  // namespace spml
