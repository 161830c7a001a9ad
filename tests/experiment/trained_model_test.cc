// Runs read back: what does not belong to a run is refused, with the name of its file.
#include "run/trained_model.h"

#include <limits>

#include "data.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "run/run.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LoadTrainedModel : public testing::Test {
 protected:
  LoadTrainedModel() {
    TrainConfig config = config_of("an");
    config.transform = TransformKind::kStandardize;
    RunOptions options;
    options.out = folder_.path() / "run";
    run_training(small_data(), config, options);
  }

  // Writes the model again, with one number of a tensor replaced, or another transform.
  void rewrite_model(const std::string& tensor, float value,
                     const std::string& transform = "standardize") const {
    const SafetensorsFile file(run_.model());
    std::map<std::string, std::vector<float>> tensors;
    for (const auto& [name, info] : file.tensors()) tensors[name] = file.floats(name);
    if (!tensor.empty()) tensors.at(tensor).back() = value;
    SafetensorsWriter writer;
    for (const auto& [name, values] : tensors) writer.add(name, file.tensor(name).shape, values);
    writer.add_metadata("transform", transform);
    writer.write(run_.model());
  }
  void refused(const Path& file, const std::string& why) const {
    try {
      load_trained_model(run_.path, 1);
      ADD_FAILURE() << "expected an Error: " << why;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(file.string()), HasSubstr(why)));
      EXPECT_EQ(error.kind(), Error::Kind::kFailed);
    }
  }

  TemporaryFolder folder_;
  RunFolder run_{folder_.path() / "run"};
};

TEST_F(LoadTrainedModel, NumbersAreFinite) {
  const std::string model = read_file(run_.model());
  for (const char* tensor :
       {"classifier.weight", "classifier.bias", "transform.mean", "transform.inverse_scale"}) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      rewrite_model(tensor, value);
      refused(run_.model(), tensor);
      write_file(run_.model(), model);
    }
  }
  std::vector<float> thresholds(4, std::numeric_limits<float>::quiet_NaN());
  write_npy(run_.thresholds(), View<const float>{thresholds.data(), 1, 4});
  refused(run_.thresholds(), "finite");
}

TEST_F(LoadTrainedModel, ThresholdsAreOneRow) {
  const std::vector<float> thresholds(8, 0.5f);
  for (const auto& [rows, columns] :
       std::vector<std::pair<size_t, size_t>>{{2, 4}, {1, 8}, {4, 1}}) {
    write_npy(run_.thresholds(), View<const float>{thresholds.data(), rows, columns});
    refused(run_.thresholds(), "expected 4 thresholds");
  }
}

TEST_F(LoadTrainedModel, AnUnknownTransformIsAnErrorOfTheFile) {
  rewrite_model("", 0, "zzz");
  refused(run_.model(), "zzz");
  rewrite_model("", 0);
  EXPECT_EQ(load_trained_model(run_.path, 1).classes.size(), 4u);
}

TEST_F(LoadTrainedModel, AResultRepeatsItsConfiguration) {
  const RunResult good = read_run_result(run_.result());
  const auto expect_refused = [&](auto change) {
    RunResult bad = good;
    change(bad);
    write_file(run_.result(), json_text(bad));
    EXPECT_SPML_ERROR(read_run(run_.path),
                      AllOf(HasSubstr(run_.result().string()), HasSubstr("as in config.json")));
  };
  expect_refused([](RunResult& result) { result.loss = "\x1b[2J"; });
  expect_refused([](RunResult& result) { result.mode = Mode::kFinetune; });
  expect_refused([](RunResult& result) { result.lr = 1; });
  expect_refused([](RunResult& result) { result.batch = 0; });
  expect_refused([](RunResult& result) { result.seed = 7; });
  write_file(run_.result(), json_text(good));
  EXPECT_EQ(read_run(run_.path).result.loss, "an");
}

}  // namespace
}  // namespace spml
