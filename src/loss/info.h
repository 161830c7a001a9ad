// The table of losses, and what a row of it is. Everything users see of a loss (help, errors, docs)
// comes from here; include/spml/loss.h shows it to users of the library as LossDescription.
#pragma once

#include <limits>

#include "spml/loss.h"

namespace spml {

struct LossParameter {
  std::string_view name;
  double default_value = 0;
  double min = 0;
  double max = std::numeric_limits<double>::infinity();
  std::string_view help;
  // When the default is a rule such as 1/(L-1): its text, and the rule itself as a function of L
  // and of what is known: k, if it is, and the parameters that stand before this one.
  std::string_view default_text = {};
  double (*default_rule)(size_t labels, const LossParameters& earlier) = nullptr;
};

// A row of the table.
struct LossInfo {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view formula;  // Markdown, for docs/losses.md
  std::string_view source;   // where it comes from
  // What an observed negative (o = -1) does; where the loss does not tell it from an unknown label,
  // that it does not.
  std::string_view negatives;
  LabelNeed needs = LabelNeed::kObserved;
  bool needs_k = false;
  bool uses_estimates = false;  // has label-estimate variables, trained beside the classifier
  // A linear classifier is solved for (src/ridge) instead of trained by steps.
  bool closed_form = false;
  LossMemory memory = {};
  RowNeed row_need = RowNeed::kBatch;  // of what another process has of a batch
  std::span<const LossParameter> params;
  // Called by make_loss with every parameter resolved; for a combined loss null.
  std::unique_ptr<const Loss> (*make)(const LossSetup&) = nullptr;
  const LossInfo* base = nullptr;  // the X of a combined loss
};

// The table: the paper's losses in its order, then newer ones.
std::span<const LossInfo* const> all_losses();

// role+X for every loss X of the table that is trained by steps and has no label estimates of its
// own:
//   ( X(f) + BCE(f | sg e) + side(e | f) ) / 2, with side as in role.
// Its parameters are role's and X's; a name that both have is one parameter.
std::span<const LossInfo* const> combined_losses();

// A loss of the table or a combined one. Error naming the nearest known loss when there is none of
// that name.
const LossInfo& find_loss(std::string_view name);

// Every parameter of the loss with its value: given or default. Error for an unknown name
// (naming the nearest) or a value out of range.
LossParameters resolve_parameters(const LossInfo& info, const LossSetup& setup);

}  // namespace spml
