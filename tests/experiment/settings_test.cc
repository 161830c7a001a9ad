// One table of settings: what config.json says, what run folders are called, what is refused.
#include "settings/settings.h"

#include <set>

#include "formats/json.h"
#include "reproduce/definition.h"
#include "settings/config_json.h"
#include "settings/grid.h"
#include "settings/presets.h"
#include "sweep/sweep.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Settings unlike the defaults, as `spml sweep` is given them.
GridValues unusual() {
  return {{{"loss", {"role+em"}},
           {"estimator", {"table", "factored", "network"}},
           {"rank", {"4"}},
           {"hidden", {"5"}},
           {"k", {"1.5"}},
           {"observe", {"pos=1,neg=1,seed=7"}},
           {"transform", {"sqrt"}},
           {"weight-decay", {"1e-4"}},
           {"lr", {"4e-3"}},
           {"batch", {"8"}},
           {"epochs", {"2"}},
           {"subsample", {"0.5"}},
           {"patience", {"1"}},
           {"select", {"observed"}},
           {"record", {"unobserved-positives"}},
           {"split-seed", {"5"}},
           {"val-fraction", {"0.3"}}},
          {"alpha=0.25"}};
}

std::vector<std::string> names(const GridValues& values) {
  std::vector<std::string> names;
  for (const TrainConfig& config : make_grid(values, 4)) names.push_back(run_name(config));
  return names;
}

// The names are those that version 0.1 gave: its sweeps go on.
TEST(Settings, RunsKeepTheNamesOfEarlierVersions) {
  EXPECT_THAT(names({{{"loss", {"an", "role"}},
                      {"lr", {"1e-3"}},
                      {"batch", {"8"}},
                      {"epochs", {"1"}},
                      {"seed", {"3"}}},
                     {}}),
              ElementsAre("an-lr0.001-b8-s3-12bebf31", "role-lr0.001-b8-s3-c59a0d9c"));
  EXPECT_THAT(names(unusual()),
              ElementsAre("role+em-lr0.004-b8-s0-797e2d4a", "role+em-lr0.004-b8-s0-50b631f8",
                          "role+em-lr0.004-b8-s0-436ff92f"));
}

TEST(Settings, ConfigJsonHasTheKeysOfEarlierVersionsInTheirOrder) {
  EXPECT_EQ(to_json(make_grid(unusual(), 4)[1]).dump(),
            R"({"loss":"role+em","param":{"alpha":0.25},"estimator":"factored","rank":4,)"
            R"("mode":"linear","lr":0.004,"batch":8,"epochs":2,"seed":0,"k":1.5,)"
            R"("observe":"pos=1,neg=1,seed=7","select":"observed","val-fraction":0.3,)"
            R"("split-seed":5,"subsample":0.5,"transform":"sqrt","weight-decay":0.0001,)"
            R"("patience":1,"record":"unobserved-positives"})");
  TrainConfig config;
  config.loss = "an";
  config.mode = Mode::kLinearInit;
  config.image.weights = "w.safetensors";
  config.image.weights_sha256 = "abc";
  config.image.init = "run";
  EXPECT_EQ(to_json(config).dump(),
            R"({"loss":"an","param":{},"mode":"linear-init","lr":1e-05,"batch":16,"epochs":5,)"
            R"("seed":0,"select":"clean","val-fraction":0.2,"split-seed":1200,"subsample":1.0,)"
            R"("transform":"none","weight-decay":0.0,"patience":0,"weights-sha256":"abc",)"
            R"("size":448,"accumulate":1,"schedule":"cosine","warmup":0.1,)"
            R"("head-lr-factor":10.0,"freeze-bn":true,"device":"auto","init":"run"})");
}

TEST(Settings, WhatIsWrittenIsReadBack) {
  std::vector<TrainConfig> configs = make_grid(unusual(), 4);
  configs.emplace_back().loss = "an";
  configs.emplace_back().loss = "role";
  TrainConfig image;
  image.loss = "an";
  image.mode = Mode::kFinetune;
  image.image.weights_sha256 = "abc";
  image.image.size = 64;
  image.image.accumulate = 2;
  image.image.freeze_bn = false;
  image.image.schedule = "constant";
  image.image.head_lr_factor = 3;
  configs.push_back(image);
  for (const TrainConfig& config : configs) {
    const nlohmann::json json = nlohmann::json::parse(to_json(config).dump());
    EXPECT_EQ(to_json(config_from_json(json, "config.json")), to_json(config));
  }
}

TEST(Settings, ReadingChecksTypesAndRanges) {
  const auto refused = [](const char* json, const std::string& key, const std::string& why) {
    EXPECT_SPML_ERROR(config_from_json(nlohmann::json::parse(json), "c.json"),
                      AllOf(HasSubstr("c.json: '" + key + "': "), HasSubstr(why)));
    try {
      config_from_json(nlohmann::json::parse(json), "c.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kFailed);  // a bad file, not bad usage
    }
  };
  refused(R"({"epochs": 0})", "epochs", "from 1 to 50000");
  refused(R"({"epochs": 2.5})", "epochs", "whole number");
  refused(R"({"epochs": "2"})", "epochs", "expected a number");
  refused(R"({"lr": 0})", "lr", "above 0");
  refused(R"({"seed": -1})", "seed", "at least 0");
  refused(R"({"mode": "cubic"})", "mode", "linear, finetune or linear-init");
  refused(R"({"mode": 1})", "mode", "expected text");
  refused(R"({"freeze-bn": 1})", "freeze-bn", "true or false");
  refused(R"({"observe": "pos=x"})", "observe", "pos=1,neg=0,seed=1200");
  refused(R"({"record": "everything"})", "record", "unobserved-positives");
  refused(R"({"param": 3})", "param", "JSON object");
  refused(R"({"param": {"eps": "a"}})", "param': 'eps", "number");
  EXPECT_EQ(config_from_json(nlohmann::json::parse(R"({"epochs": 3.0})"), "").epochs, 3);
}

TEST(Settings, ExperimentsHaveTheSameRangesAsFlags) {
  const auto parse = [](const std::string& settings) {
    return parse_experiment(R"({"settings": )" + settings + R"(, "rows": [{"loss": "an"}]})",
                            "mine", "mine.json");
  };
  EXPECT_EQ(parse(R"({"epochs": 50000})").settings.epochs, 50000);
  EXPECT_SPML_ERROR(parse(R"({"epochs": 50001})"), HasSubstr("from 1 to 50000"));
  EXPECT_SPML_ERROR(parse(R"({"batch": 8})"), HasSubstr("unknown key 'batch'"));
  EXPECT_SPML_ERROR(parse(R"({"epoch": 8})"), HasSubstr("did you mean 'epochs'?"));
}

TEST(Settings, AGridAppliesSettingsWhereTheyHaveAnEffect) {
  const auto count = [](std::map<std::string, std::vector<std::string>> settings,
                        std::vector<std::string> params = {}) {
    return make_grid({std::move(settings), std::move(params)}, 4).size();
  };
  EXPECT_EQ(count({{"loss", {"an"}}}), 1u);
  EXPECT_EQ(count({{"loss", {"an", "role"}},
                   {"estimator", {"table", "factored"}},
                   {"rank", {"2", "3"}},
                   {"seed", {"0", "1"}}}),
            2 * (1 + 1 + 2u));
  EXPECT_EQ(count({{"loss", {"an", "an-ls"}}}, {"eps=0.1,0.2,L"}), 4u);
  EXPECT_SPML_ERROR(count({{"loss", {"an"}}, {"estimator", {"table"}}}),
                    HasSubstr("--estimator requires a loss with label estimates"));
  EXPECT_SPML_ERROR(count({{"loss", {"role"}}, {"rank", {"2"}}}),
                    HasSubstr("--rank requires --estimator factored"));
  EXPECT_SPML_ERROR(count({{"loss", {"an"}}, {"size", {"64"}}}),
                    HasSubstr("--size requires --mode finetune or linear-init"));
  EXPECT_SPML_ERROR(count({{"loss", {"an"}}, {"mode", {"finetune"}}, {"init", {"r"}}}),
                    HasSubstr("--init requires --mode linear-init"));
  EXPECT_SPML_ERROR(count({{"loss", {"an"}}, {"mode", {"finetune"}}, {"transform", {"l2"}}}),
                    HasSubstr("--transform requires --mode linear"));
  EXPECT_SPML_ERROR(count({{"loss", {"an"}}, {"mode", {"finetune"}}, {"accumulate", {"17"}}}),
                    HasSubstr("must not exceed the batch size, 16"));
  EXPECT_SPML_ERROR(count({{"loss", {"an"}}}, {"epss=1"}), HasSubstr("no loss given here has it"));
}

TEST(Settings, PresetsAreLegalSettings) {
  for (const Preset& preset : all_presets()) {
    // L becomes a number once the data is known.
    std::string flags(preset.flags);
    if (const size_t at = flags.find("\"L\""); at != std::string::npos) flags.replace(at, 3, "20");
    const auto json = nlohmann::json::parse(flags);
    const TrainConfig config = config_from_json(json, std::string(preset.name));
    for (const auto& [key, value] : json.items()) EXPECT_EQ(find_setting(key).name, key);
    if (config.loss.empty()) continue;  // a preset for every loss
    EXPECT_NO_THROW(find_loss(config.loss));
  }
  // Its evidence is docs/reproducing.md's row of role.
  EXPECT_EQ(nlohmann::json::parse(find_preset("paper-code").flags)["lr"], 1e-4);
}

TEST(Settings, DefaultsAreSaidByMode) {
  EXPECT_EQ(default_text(find_setting("lr")), "1e-3 linear, 1e-5 otherwise");
  EXPECT_EQ(default_text(find_setting("epochs")), "25 linear, 10 finetune, 5 linear-init");
  EXPECT_EQ(default_text(find_setting("val-fraction")), "0.2");
  EXPECT_EQ(default_text(find_setting("freeze-bn")), "");
  std::set<std::string> seen;
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(seen.insert(setting.name).second) << setting.name;
  }
}

}  // namespace
}  // namespace spml
