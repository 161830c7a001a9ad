// The verbs of the program, each in the file named after it.
#pragma once

#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

Verb demo_verb();
Verb train_verb();
Verb sweep_verb();
Verb evaluate_verb();
Verb predict_verb();
Verb reproduce_verb();
Verb suggest_verb();
Verb report_verb();
Verb review_verb();  // declared in every build, runs in those with SPML_REVIEW
Verb synth_verb();
Verb observe_verb();
Verb stats_verb();
Verb tags_verb();
Verb estimate_k_verb();
Verb import_verb();
Verb weights_verb();  // weights and extract: declared in every build, run in those with images
Verb extract_verb();
Verb losses_verb();
Verb losses_eval_verb();  // below `spml losses`
Verb man_verb();
Verb completion_verb();

// In the groups and the order of help.
std::vector<Verb> all_verbs();

}  // namespace spml::cli
