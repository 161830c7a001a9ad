// Data folders and run folders through the public interface.
#include <fstream>

#include "api/toy.h"
#include "formats/npy.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The toy as a data folder; the last fifth of its rows are test.
void write_folder(const Toy& toy, const Path& folder) {
  const size_t train = toy.features.rows() * 4 / 5, rest = toy.features.rows() - train;
  const auto write = [&](const std::string& name, const auto& matrix) {
    using T = std::decay_t<decltype(matrix(0, 0))>;
    const size_t cols = matrix.cols();
    save_npy(folder / ("formatted_train_" + name), View<const T>{matrix.data(), train, cols});
    save_npy(folder / ("formatted_val_" + name),
             View<const T>{matrix.row(train).data(), rest, cols});
  };
  write("labels.npy", toy.truth);
  write("labels_obs.npy", toy.observed);
  write("features.npy", toy.features);
  std::ofstream(folder / "dataset.json")
      << R"({"name": "toy", "classes": ["a", "b", "c", "d"], "expected_positives": 1.5,
             "features": {"train": "formatted_train_features.npy",
                          "val": "formatted_val_features.npy"}})";
}

TEST(DataFolder, ShowsItsArraysWhereTheyLie) {
  const TemporaryFolder folder;
  const Toy toy = make_toy();
  write_folder(toy, folder.path());
  const DataFolder data = DataFolder::open(folder.path());
  EXPECT_EQ(data.name(), "toy");
  EXPECT_EQ(data.path(), folder.path());
  EXPECT_THAT(data.classes(), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(data.labels(), 4U);
  EXPECT_EQ(data.expected_positives(), 1.5);
  const DataFolder::Part part = data.train_file(), test = data.test();
  EXPECT_EQ(part.rows(), 160U);
  EXPECT_EQ(test.rows(), 40U);
  EXPECT_EQ(part.truth()(159, 3), toy.truth(159, 3));
  EXPECT_EQ(part.observed()(5, 1), toy.observed(5, 1));
  EXPECT_EQ(test.features().floats()(39, 7), toy.features(199, 7));
  EXPECT_EQ(part.truth().data, data.train_file().truth().data);
  EXPECT_FALSE(part.has_images());
  EXPECT_SPML_ERROR(part.image_name(0), HasSubstr("0 images"));
}

TEST(DataFolder, ConvertsLabelsOfOtherTypesOnce) {
  const TemporaryFolder folder;
  const Matrix<float> truth(3, 2, {1, 0, 0, 1, 1, 1});
  save_npy(folder / "formatted_train_labels.npy", truth.view());
  const DataFolder data = DataFolder::open(folder.path());
  const View<const int8_t> labels = data.train_file().truth();
  EXPECT_EQ(Matrix<int8_t>(labels), Matrix<int8_t>(3, 2, {1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(labels.data, data.train_file().truth().data);
  EXPECT_TRUE(data.train_file().observed().empty());
  EXPECT_TRUE(data.train_file().features().empty());
  EXPECT_EQ(data.test().rows(), 0U);
}

TEST(DataFolder, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_SPML_ERROR(DataFolder::open(folder / "none"), HasSubstr("expected a data folder"));
  save_npy(folder / "formatted_train_labels.npy", Matrix<int8_t>(2, 2, int8_t{1}).view());
  EXPECT_SPML_ERROR(DataFolder::open(folder.path(), {.need_features = true}),
                    HasSubstr("expected features"));
  EXPECT_SPML_ERROR(train(DataFolder::open(folder.path())), HasSubstr("expected features"));
}

TEST(DataFolder, KnowsItsImages) {
  const TemporaryFolder folder;
  save_npy(folder / "formatted_train_labels.npy", Matrix<int8_t>(2, 2, int8_t{1}).view());
  const std::vector<std::string> names{"one.jpg", "two.jpg"};
  write_npy(folder / "formatted_train_images.npy", std::span(names));
  std::ofstream(folder / "dataset.json") << R"({"image_root": "photos"})";
  const DataFolder data = DataFolder::open(folder.path());
  EXPECT_TRUE(data.train_file().has_images());
  EXPECT_EQ(data.train_file().image_name(1), "two.jpg");
  EXPECT_EQ(data.train_file().image_file(1), folder / "photos/two.jpg");
  EXPECT_SPML_ERROR(data.train_file().image_name(2), HasSubstr("2 images"));
}

TEST(DataFolder, IsSplitAsTheAuthorsDo) {
  const Split split = split_rows(10, 0.2, 1200);
  EXPECT_EQ(split.train.size(), 8U);
  EXPECT_EQ(split.val.size(), 2U);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  EXPECT_SPML_ERROR(split_rows(10, 1.5), HasSubstr("fraction"));
}

TEST(DrawObserved, KeepsOnePositiveOfEachRow) {
  const Toy toy = make_toy();
  for (size_t i = 0; i < toy.truth.rows(); ++i) {
    int positives = 0;
    for (size_t j = 0; j < toy.truth.cols(); ++j) {
      EXPECT_GE(toy.truth(i, j), toy.observed(i, j));
      positives += toy.observed(i, j);
    }
    EXPECT_EQ(positives, 1);
  }
  EXPECT_SPML_ERROR(draw_observed(Matrix<int8_t>(1, 2, {1, 3})), HasSubstr("column 1"));
}

TEST(ModelFolder, ComesBackAsItWasSaved) {
  const TemporaryFolder folder;
  const Toy toy = make_toy();
  TrainingData data = toy.data();
  data.classes = {"ant", "bee", "cow", "dog"};
  TrainOptions options = quick("an", 4);
  options.transform = TransformKind::kStandardize;
  const LinearClassifier model = train(data, options);
  model.save(folder / "run");
  const LinearClassifier loaded = LinearClassifier::load(folder / "run");
  EXPECT_EQ(loaded.predict(toy.features), model.predict(toy.features));
  EXPECT_EQ(loaded.predict_labels(toy.features), model.predict_labels(toy.features));
  EXPECT_EQ(loaded.classes(), data.classes);
  EXPECT_EQ(loaded.thresholds(), model.thresholds());
  EXPECT_EQ(loaded.parts().transform, TransformKind::kStandardize);
  EXPECT_EQ(loaded.result().val_map, model.result().val_map);
  EXPECT_EQ(loaded.result().history.size(), 4U);
  EXPECT_EQ(loaded.result().history[1].val_map, model.result().history[1].val_map);
  EXPECT_SPML_ERROR(model.save(folder / "run"), HasSubstr("not empty"));
  model.save(folder / "run", Existing::kOverwrite);
  loaded.save(folder / "copy");
  EXPECT_EQ(read_file(folder / "copy/result.json"), read_file(folder / "run/result.json"));
}

TEST(ModelFolder, HoldsAModelMadeFromParts) {
  const TemporaryFolder folder;
  LinearParts parts;
  parts.weight = Matrix<float>(2, 3, {1, 0, 0, 0, 1, 0});
  parts.bias = {0, -1};
  const LinearClassifier model(parts);
  EXPECT_THAT(model.classes(), ElementsAre("label_0", "label_1"));
  EXPECT_EQ(model.labels(), 2U);
  EXPECT_EQ(model.features(), 3U);
  const Matrix<float> x(1, 3, {2, 3, 4});
  EXPECT_THAT(model.logits(x).row(0), ElementsAre(2, 2));
  EXPECT_NEAR(model.predict(x)(0, 0), 1 / (1 + std::exp(-2.0)), 1e-6);
  model.save(folder / "run");
  EXPECT_EQ(LinearClassifier::load(folder / "run").predict(x), model.predict(x));
  EXPECT_TRUE(LinearClassifier::load(folder / "run").result().loss.empty());
}

TEST(ModelFolder, RefusesPartsThatDoNotFit) {
  LinearParts parts;
  EXPECT_SPML_ERROR(LinearClassifier{parts}, HasSubstr("found none"));
  parts.weight = Matrix<float>(2, 3);
  EXPECT_SPML_ERROR(LinearClassifier{parts}, HasSubstr("expected 2 biases"));
  parts.bias = {0, 0};
  parts.transform = TransformKind::kStandardize;
  EXPECT_SPML_ERROR(LinearClassifier{parts}, HasSubstr("expected 3 means"));
  parts.transform = TransformKind::kNone;
  const LinearClassifier model(parts);
  EXPECT_SPML_ERROR(model.predict(Matrix<float>(1, 2)), HasSubstr("expected 3 features"));
  EXPECT_EQ(model.predict(Matrix<float>(0, 3)).rows(), 0U);
}

TEST(ModelFolder, OfTheProgramIsRead) {
  const TemporaryFolder folder;
  write_folder(make_toy(), folder.path());
  const DataFolder data = DataFolder::open(folder.path());
  TrainOptions options = quick("role", 3);
  const LinearClassifier in_memory = train(data, options);
  options.out = folder / "run";  // as `spml train` does it
  const LinearClassifier in_folder = train(data, options);
  EXPECT_EQ(in_memory.parts().weight, in_folder.parts().weight);
  EXPECT_EQ(in_memory.thresholds(), in_folder.thresholds());
  EXPECT_EQ(in_memory.result().test_map, in_folder.result().test_map);
  EXPECT_EQ(in_memory.result().train_map, in_folder.result().train_map);
  EXPECT_EQ(in_memory.result().k, 1.5);
  EXPECT_EQ(in_folder.result().params, in_memory.result().params);
  EXPECT_EQ(in_folder.result().history.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(folder / "run/estimates.npy"));
  EXPECT_SPML_ERROR(train(data, options), HasSubstr("not empty"));
  options.existing = Existing::kResume;
  EXPECT_EQ(train(data, options).parts().weight, in_folder.parts().weight);
  in_memory.save(folder / "saved");
  EXPECT_EQ(read_file(folder / "saved/model.safetensors"),
            read_file(folder / "run/model.safetensors"));
}

TEST(ModelFolder, ThatIsNoneSaysSo) {
  const TemporaryFolder folder;
  EXPECT_SPML_ERROR(LinearClassifier::load(folder.path()), HasSubstr("expected a finished run"));
}

}  // namespace
}  // namespace spml
