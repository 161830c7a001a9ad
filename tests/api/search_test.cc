// Settings chosen by a search, through the public interface.
#include "api/toy.h"
#include "base/files.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::HasSubstr;

TrainOptions short_search() {
  TrainOptions options;
  options.loss = "auto";
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
