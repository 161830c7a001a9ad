#include "cli/verbs.h"

namespace spml::cli {
namespace {

struct Group {
  const char* title;
  std::vector<Verb> verbs;
};

}  // namespace

std::vector<Verb> all_verbs() {
  std::vector<Group> groups = {
      {"Every day, in this order",
       {import_verb(), extract_verb(), train_verb(), predict_verb(), review_verb(), suggest_verb(),
        report_verb()}},
      {"Research",
       {sweep_verb(), reproduce_verb(), observe_verb(), synth_verb(), losses_verb(),
        estimate_k_verb()}},
      {"Everything else",
       {demo_verb(), evaluate_verb(), stats_verb(), tags_verb(), weights_verb(), man_verb(),
        completion_verb()}},
  };
  std::vector<Verb> verbs;
  for (Group& group : groups) {
    for (Verb& verb : group.verbs) {
      verb.group = group.title;
      verbs.push_back(with_common_flags(std::move(verb)));
    }
  }
  return verbs;
}

}  // namespace spml::cli
