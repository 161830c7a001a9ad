// Results of experiments as text and as CSV.
#include "report/experiment_text.h"

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

ExperimentResult result(Show show, std::vector<ResultRow> rows) {
  ExperimentResult result;
  result.title = "Table 9";
  result.show = show;
  result.metric_text = "test MAP";
  result.x = std::string("k");
  result.columns = {"mine", "theirs"};
  result.rows = std::move(rows);
  return result;
}

ResultRow row(const std::string& label) {
  ResultRow row;
  row.label = label;
  return row;
}

ResultPoint at(double x, double ours) {
  ResultPoint point;
  point.x = x;
  point.ours = ours;
  return point;
}

ExperimentResult table() {
  ResultRow an = row("an, \"x\""), role = row("role");
  an.labels = "1 positive";
  ResultPoint& mine = an.cells["mine"];
  mine.ours = 84.767;
  mine.std = 0.06;
  mine.paper = 85.3;
  mine.difference = -0.533;
  mine.rank = 1;
  an.cells["theirs"].paper = 70;
  role.cells["mine"].ours = 80;
  role.cells["mine"].rank = 2;
  return result(Show::kTable, {an, role});
}

TEST(ExperimentText, TablesShowOursThePapersAndTheDifference) {
  EXPECT_EQ(experiment_text(table()),
            "Table 9\n"
            "\n"
            "                                   mine                     theirs\n"
            "loss     labels it sees            ours  paper  difference   paper\n"
            "an, \"x\"  1 positive      84.77 +- 0.06*   85.3       -0.53    70.0\n"
            "role                             80.00+      -           -       -\n");
}

TEST(ExperimentText, CurvesShowAColumnForEachLine) {
  ResultRow role = row("role");
  role.curves["mine"] = {at(1, 84), at(2, 85)};
  role.references["mine"] = at(1.5, 84.5);
  EXPECT_EQ(
      experiment_text(result(Show::kCurves, {role})),
      "Table 9\n\nmine: test MAP\nk   role\n1  84.00\n2  85.00\nrole at the true k 1.5: 84.50\n");
}

TEST(ExperimentText, HeatMapsShowHowManyAreAboveOneHalf) {
  ResultRow an = row("an");
  an.histograms["mine"] = {{6, 2, 1, 1}, {0, 0, 0, 4}};
  const ExperimentResult maps = result(Show::kHeatMaps, {an});
  EXPECT_THAT(experiment_text(maps), HasSubstr("1       20.0 %\n2      100.0 %\n"));
  EXPECT_THAT(experiment_csv(maps), HasSubstr("mine,an,1,0.75,1,1\nmine,an,2,0,0.25,0\n"));
}

TEST(ExperimentText, CsvHasARecordForEachNumber) {
  EXPECT_EQ(experiment_csv(table()),
            "dataset,row,x,labels_seen,ours,std,paper,difference,val_map,lr,batch,best_epoch\n"
            "mine,\"an, \"\"x\"\"\",,,84.767,0.06,85.3,-0.533,,,,\n"
            "theirs,\"an, \"\"x\"\"\",,,,,70.0,,,,,\n"
            "mine,role,,,80.0,,,,,,,\n");
}

TEST(ExperimentText, OneLongTextDoesNotPadAllOthers) {
  const std::string name(10'000, 'x');
  ResultRow shorter = row("an"), longer = row(name);
  shorter.cells["mine"].ours = longer.cells["mine"].ours = 80;
  const std::string text = experiment_text(result(Show::kTable, {shorter, longer}));
  EXPECT_LT(text.size(), 11'000u);
  EXPECT_THAT(text, HasSubstr(name));
}

}  // namespace
}  // namespace spml
