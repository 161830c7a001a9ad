// Training in memory: what a session makes of a configuration, and that a run with a folder is the
// same training.
#include "fit/session.h"

#include "data.h"
#include "fit/measure.h"
#include "formats/npy.h"
#include "linear/linear_model.h"
#include "run/run.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

TEST(Session, TrainsWithoutAFolder) {
  const Dataset data = small_data();
  Session session(data, config_of("bce"), 1);
  EXPECT_EQ(session.total_steps(), 3u * (48 / 8));
  session.loop.run({});
  const RunResult result = measure(session);
  EXPECT_EQ(result.loss, "bce");
  EXPECT_EQ(result.epochs, 3);
  EXPECT_EQ(result.steps, 18u);
  EXPECT_GT(result.val_map, 50);
  EXPECT_GT(result.test_map, 50);
  EXPECT_GT(result.train_map, 50);
  EXPECT_EQ(result.per_class_ap.size(), 4u);
  EXPECT_EQ(session.take_linear_model()->features(), 5u);
}

TEST(Session, MeasuresOnlyWhatTheDataCanTell) {
  const Dataset data = small_data({.truth = false, .test = false});
  Session session(data, config_of("an"), 1);
  session.loop.run({});
  const RunResult result = measure(session);
  EXPECT_EQ(result.k, std::nullopt);
  EXPECT_EQ(result.test_map, std::nullopt);
  EXPECT_EQ(result.train_map, std::nullopt);
  EXPECT_TRUE(result.per_class_ap.empty());
  EXPECT_SPML_ERROR(count_unobserved_positives(session), HasSubstr("needs full labels"));
}

TEST(Session, HasTheEstimatorAndTheMemoryThatTheLossAsksFor) {
  const Dataset data = small_data();
  const auto parts = [&](const std::string& loss) {
    const Session session(data, config_of(loss), 1);
    return std::pair(session.estimator != nullptr, session.memory != nullptr);
  };
  EXPECT_EQ(parts("an"), std::pair(false, false));
  EXPECT_EQ(parts("role"), std::pair(true, false));
  EXPECT_EQ(parts("self-training"), std::pair(false, true));
}

TEST(Session, ARunIsTheSameTrainingWithAFolder) {
  const Dataset data = small_data();
  const TemporaryFolder folder;
  for (const std::string loss : {"an", "role"}) {
    Session session(data, config_of(loss), 1);
    session.loop.run({});
    const RunResult result = measure(session);
    RunOptions options;
    options.out = folder / loss;
    const RunRecord run = run_training(data, config_of(loss), options);
    EXPECT_EQ(run.result.val_map, result.val_map);
    EXPECT_EQ(run.result.test_map, result.test_map);
    EXPECT_EQ(run.epochs.size(), 3u);
    // What is read back is what was returned.
    const RunRecord read = read_run(options.out);
    EXPECT_EQ(json_text(read.setup), json_text(run.setup));
    EXPECT_EQ(json_text(read.result), json_text(run.result));
    EXPECT_EQ(json_text(read.epochs.back()), json_text(run.epochs.back()));
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "role/estimates.npy"));
}

TEST(Session, CountsEveryUnobservedPositive) {
  const Dataset data = small_data();
  Session session(data, config_of("an"), 1);
  uint32_t expected = 0;
  std::vector<int8_t> truth(4), observed(4);
  for (const int32_t row : session.prepared.split.train) {
    data.train_file.truth.read_row(static_cast<size_t>(row), truth);
    data.train_file.observed.read_row(static_cast<size_t>(row), observed);
    for (size_t j = 0; j < 4; ++j) expected += truth[j] > 0 && observed[j] <= 0;
  }
  uint32_t counted = 0;
  for (const uint32_t count : count_unobserved_positives(session)) counted += count;
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(counted, expected);
}

TEST(Session, NetworksNeedTheirMakerAndLinearInitItsStart) {
  const Dataset data = small_data();
  TrainConfig config = config_of("role");
  config.mode = Mode::kFinetune;
  EXPECT_SPML_ERROR(Session(data, config, 1), HasSubstr("no image training"));
  config.mode = Mode::kLinearInit;
  const ImageModelMaker maker = [](const auto&...) -> std::unique_ptr<Model> {
    throw Error("made");
  };
  EXPECT_SPML_ERROR(Session(data, config, 1, {}, maker), HasSubstr("none was given"));
  LinearStart start;
  start.rows = {1, 2, 3};
  EXPECT_SPML_ERROR(Session(data, config, 1, start, maker), HasSubstr("of 3 other rows"));
  start.rows = prepare(data, config).split.train;
  start.estimates.assign(start.rows.size() * 4, 0.5f);
  EXPECT_SPML_ERROR(Session(data, config, 1, start, maker), HasSubstr("made"));
}

}  // namespace
}  // namespace spml
