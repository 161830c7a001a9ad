#include "train/loop.h"

#include "fake_model.h"
#include "loss/info.h"
#include "testing.h"

namespace spml {
namespace {

TEST(Loop, ABatchLargerThanMemoryIsRefusedBeforeItIsMade) {
  constexpr size_t kMany = 1'000'000;
  const LabelMatrix observed(std::vector<int8_t>(kMany), 1, kMany), truth;
  const std::vector<int32_t> rows = {0};
  TrainingLabels labels(observed, truth, find_loss("an"));
  const Evaluator validation(Part::kTrainFile, rows, observed, 1);
  FakeModel model({}, kMany);
  LoopPlan plan;
  plan.rows = rows;
  plan.batch = 1 << 20;
  EXPECT_SPML_ERROR(
      Loop(plan, *make_loss("an", {.labels = kMany}), model, nullptr, labels, validation),
      testing::HasSubstr("a batch of 1048576 rows x 1000000 labels needs 5.2 TB"));
}

}  // namespace
}  // namespace spml
