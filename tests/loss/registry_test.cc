#include <cmath>
#include <set>

#include "loss/info.h"
#include "loss/kernel.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LossTable, HasTheElevenLossesOfThePaper) {
  std::vector<std::string_view> names;
  for (const LossInfo* info : all_losses()) names.push_back(info->name);
  names.resize(std::min<size_t>(names.size(), 11));
  EXPECT_THAT(names, testing::ElementsAre("bce", "bce-ls", "iu", "iun", "an", "an-ls", "wan",
                                          "wan-sampled", "epr", "role", "pr"));
}

TEST(LossTable, EveryRowIsComplete) {
  std::set<std::string_view> names;
  for (const LossInfo* info : all_losses()) {
    EXPECT_TRUE(names.insert(info->name).second) << info->name;
    EXPECT_FALSE(info->summary.empty() || info->formula.empty() || info->source.empty())
        << info->name;
    std::set<std::string_view> parameters;
    for (const LossParameter& parameter : info->params) {
      EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name;
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_EQ(parameter.default_text.empty(), parameter.default_rule == nullptr);
    }
  }
}

TEST(LossTable, AnUnknownNameListsTheCandidates) {
  EXPECT_EQ(find_loss("role").name, "role");
  EXPECT_SPML_ERROR(
      find_loss("rolle"),
      AllOf(HasSubstr("'rolle'"), HasSubstr("did you mean 'role'"), HasSubstr("wan-sampled")));
}

TEST(LossTable, RoleCombinesWithEveryLossThatTakesStepsAndHasNoEstimates) {
  EXPECT_EQ(combined_losses().size(),
            all_losses().size() - 4);  // all but role and those solved for
  const LossInfo& info = find_loss("role+wan");
  EXPECT_EQ(info.name, "role+wan");
  EXPECT_TRUE(info.needs_k && info.uses_estimates);
  EXPECT_EQ(find_loss("role+iu").needs, LabelNeed::kNegatives);
  const auto params = resolve_parameters(info, {.labels = 21, .k = {}, .params = {{"lambda", 3}}});
  EXPECT_THAT(params,
              testing::UnorderedElementsAre(
                  testing::Pair("lambda", 3), testing::Pair("positive_scale", std::sqrt(21.0)),
                  testing::Pair("estimate_lr_factor", 52.5), testing::Pair("gamma", 0.05),
                  testing::Pair("estimate_start", testing::DoubleNear(1.0 / 21, 1e-12)),
                  testing::Pair("log_epsilon", 0)));
  EXPECT_SPML_ERROR(find_loss("role+role"), HasSubstr("unknown loss 'role+role'"));
  EXPECT_SPML_ERROR(find_loss("role+emm"), HasSubstr("did you mean 'role+em'"));
}

TEST(LossTable, ParametersThatRoleSharesMeanTheSame) {
  for (const LossInfo* info : combined_losses()) {
    for (const LossParameter& own : info->base->params) {
      for (const LossParameter& shared : find_loss("role").params) {
        if (own.name != shared.name) continue;
        EXPECT_EQ(own.default_value, shared.default_value) << info->name << " " << own.name;
        EXPECT_EQ(own.help, shared.help) << info->name << " " << own.name;
      }
    }
  }
}

TEST(LossTable, DefaultsFollowTheirRules) {
  const auto wan = resolve_parameters(find_loss("wan"), {.labels = 21, .k = {}, .params = {}});
  EXPECT_DOUBLE_EQ(wan.at("gamma"), 1.0 / 20);
  const auto smoothed = resolve_parameters(
      find_loss("an-ls"), {.labels = 2, .k = {}, .params = {{"eps", 0.2}, {"eps_n", 0.4}}});
  EXPECT_EQ(smoothed.at("eps_p"), 0.2);
  EXPECT_EQ(smoothed.at("eps_n"), 0.4);
  const auto role = resolve_parameters(find_loss("role"), {.labels = 80, .k = 4, .params = {}});
  EXPECT_EQ(role.at("estimate_lr_factor"), 50);
  EXPECT_EQ(role.at("lambda"), 1);
  EXPECT_EQ(role.at("positive_scale"), std::sqrt(80.0));
  EXPECT_EQ(role.at("log_epsilon"), 0);
}

TEST(LossTable, RoleStartsItsEstimatesUndecidedUnlessNothingIsHidden) {
  const auto start = [](size_t labels, double k) {
    const LossSetup setup = {.labels = labels, .k = k, .params = {}};
    return resolve_parameters(find_loss("role"), setup).at("estimate_start");
  };
  EXPECT_NEAR(start(20, 3), 0.5, 0.002);
  EXPECT_NEAR(start(20, 1), 1.0 / 20, 1e-12);
  EXPECT_LT(start(20, 1.1), start(20, 1.5));
  EXPECT_EQ(start(3, 3), 0.5);
  EXPECT_EQ(start(1, 1), 0.5);
}

TEST(LossTable, RoleMovesItsEstimatesFasterWherePositivesAreRare) {
  const auto rate = [](size_t labels, double k) {
    const LossSetup setup = {.labels = labels, .k = k, .params = {}};
    return resolve_parameters(find_loss("role"), setup).at("estimate_lr_factor");
  };
  EXPECT_EQ(rate(6, 1), 30);
  EXPECT_EQ(rate(100, 5), 50);
  EXPECT_EQ(rate(1000, 3), 100);
}

TEST(LossTable, BadParametersAreNamed) {
  const auto make = [](std::string_view name, LossParameters params, double k = 1) {
    make_loss(name, {.labels = 4, .k = k, .params = std::move(params)});
  };
  EXPECT_SPML_ERROR(make("epr", {{"lamda", 1}}), HasSubstr("did you mean 'lambda'"));
  EXPECT_SPML_ERROR(make("pr", {{"gamma", 1}}), HasSubstr("no parameters"));
  EXPECT_SPML_ERROR(make("an-ls", {{"eps", 1.5}}), HasSubstr("eps must be in [0, 1], found 1.5"));
  EXPECT_SPML_ERROR(make("wan", {{"gamma", -1}}), HasSubstr(">= 0"));
  EXPECT_SPML_ERROR(make("wan", {{"gamma", std::nan("")}}), HasSubstr("nan"));
  EXPECT_SPML_ERROR(make("role", {}, 4.5), HasSubstr("k in [0, 4]"));
}

TEST(LossTable, MissingKSaysHowToGiveIt) {
  EXPECT_SPML_ERROR(
      make_loss("role", {.labels = 4, .k = {}, .params = {}}),
      AllOf(HasSubstr("--k"), HasSubstr("expected_positives"), HasSubstr("estimate-k")));
  EXPECT_SPML_ERROR(make_loss("an", {.labels = 0, .k = {}, .params = {}}), HasSubstr("label"));
}

TEST(LossCall, ViewsThatDoNotFitAreAnError) {
  const auto loss = make_loss("role", {.labels = 2, .k = 1, .params = {}});
  const float z[4] = {};
  float gradient[4], scratch[8];
  const int8_t observed[4] = {};
  LossInput in;
  LossOutput out;
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("rows"));
  in.logits = {z, 2, 2};
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("observed"));
  in.observed = {observed, 2, 2};
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("estimates"));
  in.estimates = {z, 1, 2};
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("(1, 2)"));
  in.estimates = {z, 2, 2};
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("scratch of 8"));
  out.scratch = scratch;
  out.logits = {gradient, 4, 1};
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("(4, 1)"));
  out.logits = {gradient, 2, 2};
  EXPECT_GT(loss->evaluate(in, out), 0);
  in.logits = {z, 4, 1};
  EXPECT_SPML_ERROR(loss->evaluate(in, out), HasSubstr("2 labels"));
}

}  // namespace
}  // namespace spml
