// What a linear model refuses: its kernels trust the sizes they are given.
#include "linear/linear_model.h"

#include "formats/safetensors.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

constexpr size_t kFeatures = 3, kLabels = 2, kRows = 40;

LinearModel small_model() {
  LinearConfig config;
  config.features = kFeatures;
  config.labels = kLabels;
  return {config, {}, nullptr, nullptr};
}

struct Source {
  explicit Source(size_t columns)
      : values(kRows * columns, 1.0f), matrix(View<const float>{values.data(), kRows, columns}) {}
  std::vector<float> values;
  FeatureMatrix matrix;
};

TEST(LinearModel, RefusesAMatrixOfAnotherWidth) {
  LinearModel model = small_model();
  std::vector<float> out(kLabels);
  const View<float> view{out.data(), 1, kLabels};
  const std::vector<int32_t> rows{0};
  // Far wider than its buffers, then narrower.
  EXPECT_SPML_ERROR(model.predict(Source(5000).matrix, rows, 0, view),
                    HasSubstr("expected 3 features, as the model has, found 5000"));
  EXPECT_SPML_ERROR(model.predict(Source(2).matrix, rows, 0, view), HasSubstr("found 2"));
  model.predict(Source(kFeatures).matrix, rows, 0, view);
}

TEST(LinearModel, RefusesRowsAndLabelsThatAreNotThere) {
  LinearModel model = small_model();
  const Source source(kFeatures);
  std::vector<float> out(2 * kLabels);
  const View<float> view{out.data(), 1, kLabels};
  for (const int32_t row : {-1, static_cast<int32_t>(kRows)}) {
    EXPECT_SPML_ERROR(model.predict(source.matrix, std::vector{row}, 0, view),
                      HasSubstr("expected rows from 0 to 40"));
  }
  EXPECT_SPML_ERROR(model.predict(source.matrix, std::vector{0}, 1, view), HasSubstr("label 1"));
  EXPECT_SPML_ERROR(model.predict(source.matrix, std::vector{0, 1}, 0, view),
                    HasSubstr("2 rows of at most 2 labels"));
}

TEST(LinearModel, RefusesWeightsOfAnotherSize) {
  LinearModel model = small_model();
  const std::vector<float> weight(kLabels * kFeatures), bias(kLabels);
  EXPECT_SPML_ERROR(model.set_weights(std::span(weight).first(1), bias), HasSubstr("expected"));
  EXPECT_SPML_ERROR(model.set_weights(weight, std::span(bias).first(1)), HasSubstr("expected"));
}

TEST(LinearModel, RefusesACheckpointWhoseStepIsNoNumber) {
  const TemporaryFolder folder;
  LinearModel model = small_model();
  for (const char* step : {"", "x", "-1", "1x", "99999999999999999999"}) {
    SafetensorsWriter writer;
    model.save_state(writer);
    writer.add_metadata("model.step", step);
    writer.write(folder / "state");
    const SafetensorsFile file(folder / "state");
    EXPECT_SPML_ERROR(model.load_state(file), HasSubstr("expected a whole number 'model.step'"));
  }
}

TEST(LinearModel, IsBoundedByMemory) {
  LinearConfig config;
  config.features = 20'000;
  config.labels = 40'000;
  config.memory = MemoryBudget(1'000'000'000);
  EXPECT_SPML_ERROR(LinearModel(config, {}, nullptr, nullptr),
                    HasSubstr("a linear model of 40000 labels x 20000 features needs 9.6 GB"));
  config.features = 40'000'000;
  config.labels = 0;
  EXPECT_SPML_ERROR(LinearModel(config, {}, nullptr, nullptr), HasSubstr("at least one"));
}

}  // namespace
}  // namespace spml
