// The verbs of the program. Each function adds its verb (or group of verbs) to the application;
// options are declared there, once, with help, range and default.
#pragma once

#include <CLI/CLI.hpp>

namespace spml::cli {

// Verbs are added in the order in which help lists them.
void add_demo(CLI::App& app);
void add_train(CLI::App& app);
void add_sweep(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_predict(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);
void add_synth(CLI::App& app);
void add_observe(CLI::App& app);
void add_stats(CLI::App& app);
void add_estimate_k(CLI::App& app);
void add_import(CLI::App& app);
void add_weights(CLI::App& app);  // weights and extract need SPML_VISION
void add_extract(CLI::App& app);
void add_losses(CLI::App& app);
void add_losses_eval(CLI::App& losses);  // below `spml losses`

}  // namespace spml::cli
