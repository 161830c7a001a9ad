// A loss whose work is done by a kernel compiled once for every SIMD target. The kernel itself
// lives in a .cc file that includes "loss/entrywise-inl.h".
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "spml/loss.h"

namespace spml {

template <class T>
struct CallOf {
  const BasicLossInput<T>& in;
  const BasicLossOutput<T>& out;
};

// One evaluation in either precision: Highway's dispatch tables hold functions, not templates.
using LossCall = std::variant<CallOf<float>, CallOf<double>>;

// Error when the views of a call do not fit together: a bug in the caller's code.
void check_call(const LossCall& call, size_t labels, bool uses_estimates, size_t scratch_per_entry);

struct KernelNeeds {
  bool estimates = false;
  size_t scratch_per_entry = 0;
};

template <class Settings>
class KernelLoss final : public Loss {
 public:
  using Kernel = double (*)(const LossCall&, const Settings&);
  using Review = void (*)(const LabelReview&, const Settings&);

  KernelLoss(size_t labels, Kernel kernel, const Settings& settings, KernelNeeds needs,
             Review reviewer)
      : labels_(labels), kernel_(kernel), review_(reviewer), settings_(settings), needs_(needs) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    return run(CallOf<float>{in, out});
  }
  double evaluate(const BasicLossInput<double>& in,
                  const BasicLossOutput<double>& out) const override {
    return run(CallOf<double>{in, out});
  }
  void review(const LabelReview& label) const override {
    if (review_ != nullptr) review_(label, settings_);
  }
  size_t scratch_per_entry() const override { return needs_.scratch_per_entry; }

 private:
  double run(const LossCall& call) const {
    check_call(call, labels_, needs_.estimates, needs_.scratch_per_entry);
    return kernel_(call, settings_);
  }

  size_t labels_;
  Kernel kernel_;
  Review review_;
  Settings settings_;
  KernelNeeds needs_;
};

template <class Settings>
std::unique_ptr<const Loss> make_kernel_loss(const LossSetup& setup,
                                             double (*kernel)(const LossCall&, const Settings&),
                                             const Settings& settings, KernelNeeds needs = {},
                                             void (*review)(const LabelReview&,
                                                            const Settings&) = nullptr) {
  return std::make_unique<KernelLoss<Settings>>(setup.labels, kernel, settings, needs, review);
}

}  // namespace spml
