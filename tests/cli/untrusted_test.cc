// Files of others, given to the program: exit 1 and one line, whatever they hold.
#include <fstream>

#include "training.h"

namespace spml {
namespace {

void write_text(const Path& path, const std::string& text) { std::ofstream(path) << text; }

// A finished run whose config.json says that it was fine-tuned.
std::string as_fine_tuned(const Path& run) {
  auto config = read_json(run / "config.json");
  config["config"]["mode"] = "finetune";
  write_text(run / "config.json", config.dump());
  return run;
}

TEST(Untrusted, AFineTunedRunDoesNotScoreTheFeaturesOfAFolder) {
  TemporaryFolder folder;
  const std::string narrow = make_data(folder / "narrow", {.features = 12});
  const std::string wide = make_data(folder / "wide", {.features = 3000});
  const std::string run = folder / "run";
  expect_success({"train", narrow, "--loss", "an", "--epochs", "1", "--quiet", "--out", run});
  expect_failure({"estimate-k", wide, "--from-observed", run}, 1, "expected 12 features");
  as_fine_tuned(run);
  expect_failure({"estimate-k", wide, "--from-observed", run}, 1, "expected a linear run");
  expect_failure({"estimate-k", narrow, "--from-observed", run}, 1, "expected a linear run");
}

}  // namespace
}  // namespace spml
