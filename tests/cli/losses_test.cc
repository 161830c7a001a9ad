#include <cmath>

#include "formats/npy.h"
#include "loss/document.h"
#include "loss/info.h"
#include "run_program.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LossesEval : public testing::Test {
 protected:
  void SetUp() override {
    const float log3 = std::log(3.0f);
    const float z[4] = {log3, -log3, 0, log3}, u[4] = {0, log3, -log3, 0};
    const int8_t observed[4] = {1, 0, 0, 1}, truth[4] = {1, 1, 0, 1};
    write_npy(folder_ / "z.npy", View<const float>{z, 2, 2});
    write_npy(folder_ / "u.npy", View<const float>{u, 2, 2});
    write_npy(folder_ / "o.npy", View<const int8_t>{observed, 2, 2});
    write_npy(folder_ / "y.npy", View<const int8_t>{truth, 2, 2});
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  Ran eval(const std::string& arguments) const {
    return run_program("losses eval " + arguments + " --logits " + file("z.npy") + " --observed " +
                       file("o.npy"));
  }

  TemporaryFolder folder_;
};

const double kLog43 = std::log(4.0 / 3.0), kLog2 = std::log(2.0), kLog4 = std::log(4.0);

TEST_F(LossesEval, PrintsValueAndGradients) {
  const auto json = eval("an").json();
  EXPECT_NEAR(json["value"], (3 * kLog43 + kLog2) / 4, 1e-6);
  EXPECT_NEAR(json["dlogits"][0][0], -1 / 16., 1e-7);
  EXPECT_NEAR(json["dlogits"][1][0], 1 / 8., 1e-7);
  EXPECT_TRUE(json["destimates"].is_null());
}

TEST_F(LossesEval, UsesEstimatesAndParameters) {
  const auto json =
      eval("role --k 1 --param lambda=0 --param positive_scale=L --precision double --estimates " +
           file("u.npy"))
          .json();
  EXPECT_EQ(json["destimates"].size(), 2u);
  // e - f = 3/4 - 1/4 at an unknown label, halved and averaged.
  EXPECT_NEAR(json["dlogits"][0][1], -0.5 / 8, 1e-7);
  EXPECT_NEAR(json["destimates"][0][1], 0.5 / 8, 1e-7);
}

TEST_F(LossesEval, ReadsSoftLabelsAndPriorsAndPrintsNewLabels) {
  const float soft[4] = {-1, 0.25f, -1, -1}, priors[2] = {0.5f, 0.5f};
  write_npy(folder_ / "s.npy", View<const float>{soft, 2, 2});
  write_npy(folder_ / "p.npy", View<const float>{priors, 1, 2});
  // f = s: no gradient where there is a soft label.
  const auto em = eval("em-apl --param beta=1 --soft-labels " + file("s.npy")).json();
  EXPECT_NEAR(em["dlogits"][0][1], 0, 1e-7);
  const std::string later = " --epoch 2 --epochs 3 --priors ";
  // Label 0: f = 3/4 (+1), 1/2; prior 1/2: 2/2 * 1/4 + |5/8 - 1/2|. Label 1: 1/4, 3/4 (+1): 1/4.
  EXPECT_NEAR(eval("crisp" + later + file("p.npy")).json()["value"], (0.375 + 0.25) / 2, 1e-6);
  EXPECT_THAT(eval("crisp" + later + file("z.npy")).err, HasSubstr("one row of 2 priors"));
  EXPECT_THAT(eval("crisp --epoch 2 --epochs 3").err, HasSubstr("expected class priors"));
  const auto relabelled = eval("ll-cp --epoch 2 --epochs 3 --param delta=20").json()["relabelled"];
  EXPECT_EQ(relabelled, nlohmann::json::parse("[[1, 0], [1, 1]]"));
}

TEST_F(LossesEval, TruthTakesThePlaceOfObservedLabels) {
  const auto json = eval("bce --truth " + file("y.npy")).json();
  EXPECT_NEAR(json["value"], (2 * kLog43 + kLog4 + kLog2) / 4, 1e-6);
}

TEST_F(LossesEval, ErrorsAreOneLineAndSayWhatToDo) {
  for (const auto& [arguments, code, message] :
       std::vector<std::tuple<std::string, int, std::string>>{
           {"rol", 2, "did you mean 'role'"},
           {"role --k 1", 2, "--estimates"},
           {"epr", 2, "--k"},
           {"bce", 1, "--truth"},
           {"an --param gama=1", 2, "no parameter 'gama'"},
           {"an --truth " + file("z.npy"), 1, "z.npy"},
           {"an --truth nowhere.npy", 1, "nowhere.npy"}}) {
    const Ran output = eval(arguments);
    EXPECT_EQ(output.exit_code, code) << arguments;
    EXPECT_EQ(output.out, "") << arguments;
    EXPECT_THAT(output.err, StartsWith("spml: error: "));
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1);
  }
}

TEST(Losses, JsonListsTheTable) {
  const auto json = run_program("losses --json").json();
  ASSERT_EQ(json["losses"].size(), all_losses().size());
  EXPECT_EQ(json["combined"].size(), combined_losses().size());
  EXPECT_EQ(json["combined"][0], "role+bce");
  for (const auto& loss : json["losses"]) {
    if (loss["name"] != "wan") continue;
    EXPECT_EQ(loss["params"][0]["name"], "gamma");
    EXPECT_EQ(loss["params"][0]["default"], "1/(L-1)");
    EXPECT_EQ(loss["params"][0]["min"], 0);
    EXPECT_TRUE(loss["params"][0]["max"].is_null());
    EXPECT_EQ(loss["params"][1]["default"], 0);
  }
}

TEST(Losses, TextNamesEveryLoss) {
  const std::string text = run_program("losses").out;
  for (const LossInfo* info : all_losses()) {
    EXPECT_THAT(text, HasSubstr(std::string(info->summary)));
  }
}

TEST(Losses, MarkdownIsTheDocument) {
  EXPECT_EQ(run_program("losses --markdown").out, losses_markdown());
}

}  // namespace
}  // namespace spml
