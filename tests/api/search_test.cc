// Settings chosen by a search, through the public interface.
#include "api/toy.h"
#include "base/files.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::HasSubstr;

TrainOptions short_search() {
  TrainOptions options;
  options.trials = 7;
  options.epochs = 4;
  return options;
}

TEST(Search, ChoosesALossAndSaysWhich) {
  const Toy toy = make_toy();
  const LinearClassifier model = train(toy.data(), short_search());
  EXPECT_NE(model.result().loss, "auto");
  EXPECT_THAT(model.result_json(), HasSubstr("\"loss\": \"" + model.result().loss + "\""));
  EXPECT_THAT(model.result_json(), HasSubstr("\"selected_on\": \"clean\""));
}

TEST(Search, GivesTheSameModelInMemoryAndInAFolder) {
  const Toy toy = make_toy();
  const TemporaryFolder folder;
  TrainOptions options = short_search();
  options.threads = 1;
  const LinearClassifier in_memory = train(toy.data(), options);
  options.threads = 2;
  options.out = folder.path() / "run";
  const LinearClassifier in_folder = train(toy.data(), options);
  EXPECT_EQ(in_memory.parts().weight, in_folder.parts().weight);
  EXPECT_EQ(in_memory.parts().slope, in_folder.parts().slope);
  EXPECT_EQ(in_memory.thresholds(), in_folder.thresholds());
}

TEST(Search, RefitsInMemoryAsInAFolder) {
  const Toy toy = make_toy();
  const TemporaryFolder folder;
  TrainOptions options = short_search();
  const LinearClassifier held_out = train(toy.data(), options);
  options.refit = true;
  const LinearClassifier in_memory = train(toy.data(), options);
  options.out = folder.path() / "run";
  const LinearClassifier in_folder = train(toy.data(), options);
  EXPECT_NE(in_memory.parts().weight, held_out.parts().weight);
  EXPECT_EQ(in_memory.parts().weight, in_folder.parts().weight);
  EXPECT_EQ(in_memory.thresholds(), held_out.thresholds());
  EXPECT_THAT(in_memory.result_json(), HasSubstr("\"refit\": true"));
}

TEST(Search, RefusesWhatItChooses) {
  const Toy toy = make_toy();
  const auto refuses = [&](const std::string& name, const std::string& value) {
    TrainOptions options = short_search();
    set(options, name, value);
    EXPECT_SPML_ERROR(train(toy.data(), options), HasSubstr(name + ": the search chooses it"));
  };
  refuses("lr", "0.001");
  refuses("batch", "8");
  refuses("average", "2");
  refuses("blend_ridge", "true");
  refuses("weight_decay", "1e-4");
  refuses("transform", "sqrt");
  refuses("estimator", "factored");
}

TEST(Search, IsNeededForWhatOnlyItHas) {
  const Toy toy = make_toy();
  const auto refuses = [&](auto&& change) {
    TrainOptions options = quick("an");
    change(options);
    EXPECT_SPML_ERROR(train(toy.data(), options), HasSubstr("apply only to the search"));
  };
  refuses([](TrainOptions& o) { o.trials = 56; });
  refuses([](TrainOptions& o) { o.time_limit = 1; });
  refuses([](TrainOptions& o) { o.refit = true; });
}

TEST(Settings, AreSetByNameWithTheRangesOfTheProgram) {
  TrainOptions options;
  set(options, "weight_decay", "1e-4");
  set(options, "observe", "pos=2,neg=1,seed=7");
  EXPECT_EQ(options.weight_decay, 1e-4);
  EXPECT_EQ(options.observe.value().num_pos, 2u);
  EXPECT_SPML_ERROR(set(options, "lr", "0"), HasSubstr("lr: expected a number above 0"));
  EXPECT_SPML_ERROR(set(options, "weight_decy", "1"), HasSubstr("did you mean 'weight_decay'"));
  EXPECT_SPML_ERROR(set(options, "mode", "finetune"), HasSubstr("unknown setting"));
  EXPECT_EQ(options.lr, std::nullopt);
  size_t searched = 0;
  for (const SettingDescription& setting : train_settings()) searched += setting.searched;
  EXPECT_EQ(searched, 10u);  // all but the loss
}

TEST(Search, StopsWhenAskedTo) {
  const Toy toy = make_toy();
  TrainOptions options = short_search();
  options.stop_requested = [] { return true; };
  try {
    train(toy.data(), options);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInterrupted);
  }
}

TEST(Train, EstimatesKWhereNothingSaysIt) {
  const Toy toy = make_toy();
  TrainingData data = toy.data();
  data.truth = {};
  const LinearClassifier model = train(data, quick("role", 4));
  EXPECT_GT(model.result().k.value_or(0), 1);
  EXPECT_THAT(model.result_json(), HasSubstr("\"k_from\": \"observed\""));
}

}  // namespace
}  // namespace spml
