// Results of experiments as text and as CSV.
#include "report/experiment_text.h"

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;
using testing::Not;

Json result(const std::string& show, Json rows) {
  return {{"title", "Table 9"},
          {"row_title", "loss"},
          {"show", show},
          {"metric_text", "test MAP"},
          {"x", "k"},
          {"columns", {"mine", "theirs"}},
          {"rows", std::move(rows)}};
}

const Json kTable = result(
    "table",
    {{{"label", "an, \"x\""},
      {"labels", "1 positive"},
      {"cells",
       {{"mine",
         {{"ours", 84.767}, {"std", 0.06}, {"paper", 85.3}, {"difference", -0.533}, {"rank", 1}}},
        {"theirs", {{"paper", 70.0}}}}}},
     {{"label", "role"}, {"cells", {{"mine", {{"ours", 80.0}, {"rank", 2}}}}}}});

TEST(ExperimentText, TablesShowOursThePapersAndTheDifference) {
  EXPECT_EQ(experiment_text(kTable),
            "Table 9\n"
            "\n"
            "                                   mine                     theirs\n"
            "loss     labels it sees            ours  paper  difference   paper\n"
            "an, \"x\"  1 positive      84.77 +- 0.06*   85.3       -0.53    70.0\n"
            "role                             80.00+      -           -       -\n");
}

TEST(ExperimentText, CurvesShowAColumnForEachLine) {
  const Json curves =
      result("curves",
             {{{"label", "role"},
               {"curves", {{"mine", {{{"x", 1.0}, {"ours", 84.0}}, {{"x", 2.0}, {"ours", 85.0}}}}}},
               {"references", {{"mine", {{"x", 1.5}, {"ours", 84.5}}}}}}});
  EXPECT_EQ(
      experiment_text(curves),
      "Table 9\n\nmine: test MAP\nk   role\n1  84.00\n2  85.00\nrole at the true k 1.5: 84.50\n");
}

TEST(ExperimentText, HeatMapsShowHowManyAreAboveOneHalf) {
  const Json maps = result(
      "heatmaps", {{{"label", "an"}, {"histograms", {{"mine", {{6, 2, 1, 1}, {0, 0, 0, 4}}}}}}});
  EXPECT_THAT(experiment_text(maps), HasSubstr("1       20.0 %\n2      100.0 %\n"));
  EXPECT_THAT(experiment_csv(maps), HasSubstr("mine,an,1,0.75,1,1\nmine,an,2,0,0.25,0\n"));
}

TEST(ExperimentText, CsvHasARecordForEachNumber) {
  EXPECT_EQ(experiment_csv(kTable),
            "dataset,row,x,labels_seen,ours,std,paper,difference,val_map,lr,batch,best_epoch\n"
            "mine,\"an, \"\"x\"\"\",,,84.767,0.06,85.3,-0.533,,,,\n"
            "theirs,\"an, \"\"x\"\"\",,,,,70.0,,,,,\n"
            "mine,role,,,80.0,,,,,,,\n");
}

}  // namespace
}  // namespace spml
