#include "loss/kernel.h"

#include <string_view>

#include "base/fail.h"

namespace spml {
namespace {

template <class T>
void check_shape(const View<T>& view, std::string_view name, size_t B, size_t L) {
  if (view.empty() || (view.rows == B && view.cols == L)) return;
  fail("loss: expected {} of shape ({}, {}) like logits, found ({}, {})", name, B, L, view.rows,
       view.cols);
}

}  // namespace

void check_call(const LossCall& call, size_t labels, bool uses_estimates,
                size_t scratch_per_entry) {
  std::visit(
      [&](const auto& typed) {
        const auto& [in, out] = typed;
        const size_t B = in.logits.rows, L = in.logits.cols;
        const bool has_entries = B * L > 0;  // else others have them
        if (!has_entries && in.others == nullptr)
          fail("loss: expected a batch of rows, found none");
        if (in.labels_in_all() != labels) {
          fail("loss: made for {} labels, found logits of {} columns", labels, in.labels_in_all());
        }
        if (in.observed.empty() && has_entries) fail("loss: expected observed labels, found none");
        if (uses_estimates && in.estimates.empty() && has_entries) {
          fail("loss: expected label estimates, found none");
        }
        check_shape(in.estimates, "estimates", B, L);
        check_shape(in.frozen_logits, "frozen_logits", B, L);
        check_shape(in.frozen_estimates, "frozen_estimates", B, L);
        check_shape(in.observed, "observed", B, L);
        check_shape(in.soft_labels, "soft_labels", B, L);
        check_shape(out.logits, "the gradient of logits", B, L);
        check_shape(out.estimates, "the gradient of estimates", B, L);
        check_shape(out.relabelled, "relabelled", B, L);
        if (!in.rows.empty() && in.rows.size() != B) {
          fail("loss: expected {} row numbers, found {}", B, in.rows.size());
        }
        if (!in.class_priors.empty() && in.class_priors.size() != L) {
          fail("loss: expected {} class priors, found {}", L, in.class_priors.size());
        }
        if (!in.observed_shares.empty() && in.observed_shares.size() != L) {
          fail("loss: expected {} shares of observed positives, found {}", L,
               in.observed_shares.size());
        }
        if (out.scratch.size() < scratch_per_entry * B * L) {
          fail("loss: expected scratch of {} elements, found {}", scratch_per_entry * B * L,
               out.scratch.size());
        }
      },
      call);
}

}  // namespace spml
