// The plans of a training step, by batch size. A batch whose parts have two sizes needs two in
// every step, and making one takes longer than running it; a batch of another size (the last of an
// epoch) finds the memory of the plans before it free again.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

namespace spml {

template <class Plan>
class PlansBySize {
 public:
  // The plan for a batch size. Where there is none, plans that the step has not used are dropped
  // first, so that there is room for what make() makes, a std::unique_ptr<Plan>.
  template <class Make>
  Plan& get(size_t batch, const Make& make) {
    auto found = plans_.find(batch);
    if (found == plans_.end()) {
      std::erase_if(plans_, [](const auto& entry) { return !entry.second.used; });
      found = plans_.emplace(batch, Slot{make(), false}).first;
    }
    found->second.used = true;
    return *found->second.plan;
  }

  // The next get() begins a step.
  void end_step() {
    for (auto& [batch, slot] : plans_) slot.used = false;
  }

  template <class Visit>
  void for_each(const Visit& visit) {
    for (auto& [batch, slot] : plans_) visit(*slot.plan);
  }

 private:
  struct Slot {
    std::unique_ptr<Plan> plan;
    bool used;  // in this step
  };
  std::map<size_t, Slot> plans_;
};

}  // namespace spml
