// The experiments that come with the program, and those of users.
#include <fmt/format.h>

#include <filesystem>

#include "base/fail.h"
#include "base/text.h"
#include "reproduce/definition.h"
#include "reproduce/embedded.h"

namespace spml {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 24;

void check_losses(const Experiment& experiment, const std::string& where) {
  for (const ExperimentRow& row : experiment.rows) {
    if (row.loss.empty()) continue;
    try {
      LossSetup setup;
      setup.labels = 2;  // any number: ranges of parameters do not depend on it
      for (const auto& [name, value] : row.params) setup.params[name] = value.value_or(2);
      resolve_parameters(find_loss(row.loss), setup);
    } catch (const Error& error) {
      fail("{}: row '{}': {}", where, row.label, error.what());
    }
  }
}

}  // namespace

std::vector<std::string> built_in_experiments() {
  return {"table1",  "table2",  "tableA1",  "tableA2", "tableA3",
          "figure1", "figure2", "figureA1", "losses"};
}

Experiment load_experiment(const std::string& name_or_file) {
  if (Path(name_or_file).extension() == ".json") {
    Experiment experiment = parse_experiment(read_file(name_or_file, kMaxBytes),
                                             Path(name_or_file).stem().string(), name_or_file);
    check_losses(experiment, name_or_file);
    return experiment;
  }
  const std::string file = name_or_file + ".json";
  const std::string_view text = paper_experiment(file);
  if (text.empty()) {
    const auto names = built_in_experiments();
    fail_usage("expected one of {} or a file that ends in .json, found '{}'{}",
               fmt::join(names, ", "), name_or_file, did_you_mean(name_or_file, names));
  }
  return parse_experiment(text, name_or_file, file);
}

}  // namespace spml
