#include "cli/verbs.h"

namespace spml::cli {

std::vector<Verb> all_verbs() {
  std::vector<Verb> verbs = {demo_verb(),       train_verb(),   sweep_verb(),     evaluate_verb(),
                             predict_verb(),    suggest_verb(), reproduce_verb(), report_verb(),
                             review_verb(),     synth_verb(),   observe_verb(),   stats_verb(),
                             estimate_k_verb(), import_verb(),  weights_verb(),   extract_verb(),
                             losses_verb(),     man_verb(),     completion_verb()};
  for (Verb& verb : verbs) verb = with_common_flags(std::move(verb));
  return verbs;
}

}  // namespace spml::cli
