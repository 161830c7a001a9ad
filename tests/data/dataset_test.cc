#include "data/dataset.h"

#include <cmath>

#include "folder.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DatasetTest : public testing::Test {
 protected:
  void expect_refused(const std::string& where, const std::string& why) {
    for (const int threads : {1, 2}) {
      EXPECT_SPML_ERROR(open_dataset(folder_.path(), {.threads = threads}),
                        AllOf(HasSubstr(where), HasSubstr(why)));
    }
  }
  void write_info(const std::string& json) { write_file(folder_ / "dataset.json", json); }

  SmallFolder folder_;
};

TEST_F(DatasetTest, OpensTheAuthorsLayout) {
  const Dataset data = open_dataset(folder_.path(), {.need_features = true, .threads = 2});
  EXPECT_EQ(data.labels(), 2u);
  EXPECT_THAT(data.classes, ElementsAre("label_0", "label_1"));
  EXPECT_EQ(data.train_file.rows(), 3u);
  EXPECT_EQ(data.test.rows(), 2u);
  EXPECT_TRUE(data.test.observed.empty());
  EXPECT_EQ(data.train_file.images.text(2), "c.jpg");
  EXPECT_EQ(data.train_file.features.floats()(2, 1), 6.0f);
  std::vector<int8_t> row(2);
  data.train_file.observed.read_row(1, row);
  EXPECT_THAT(row, ElementsAre(0, 1));
}

TEST_F(DatasetTest, SurvivesBeingMoved) {
  Dataset data = open_dataset(folder_.path());
  data.train_file.features = FeatureMatrix({1, 2, 3, 4, 5, 6}, 3, 2);
  const Dataset moved = std::move(data);
  data = Dataset();
  EXPECT_EQ(moved.test.features.floats()(1, 1), 10.0f);
  EXPECT_EQ(moved.train_file.features.floats()(2, 1), 6.0f);
}

TEST_F(DatasetTest, EverythingButTrainingLabelsIsOptional) {
  namespace fs = std::filesystem;
  for (const char* part : {"train", "val"}) {
    fs::remove(images_file(folder_.path(), part));
    fs::remove(features_file(folder_.path(), part));
  }
  fs::remove(truth_file(folder_.path(), "val"));
  fs::remove(truth_file(folder_.path(), "train"));
  const Dataset data = open_dataset(folder_.path());
  EXPECT_TRUE(data.train_file.truth.empty());
  EXPECT_EQ(data.test.rows(), 0u);
  EXPECT_SPML_ERROR(open_dataset(folder_.path(), {.need_features = true}),
                    HasSubstr("spml extract"));
  fs::remove(observed_file(folder_.path(), "train"));
  expect_refused("formatted_train_labels_obs.npy", "found neither");
}

TEST_F(DatasetTest, KnowsHowItsFeaturesWereMade) {
  EXPECT_FALSE(open_dataset(folder_.path()).extraction.has_value());
  const FeatureOrigin origin{{"w.safetensors", "0a1b", "resnet50", "v1"}, {448}};
  DatasetInfo info;
  info.extraction = origin;
  write_info(to_json(info));
  EXPECT_EQ(open_dataset(folder_.path()).extraction, origin);
  info.extraction = FeatureOrigin{{"m.pt", "0a", "torchscript", ""}, {64}};
  write_info(to_json(info));
  EXPECT_EQ(open_dataset(folder_.path()).extraction->backbone.variant, "");
  for (const char* wrong : {"[]", "{}", R"({"size": -1})", R"({"size": 64, "weights": 3})"}) {
    write_info(R"({"extraction": )" + std::string(wrong) + "}");
    expect_refused("dataset.json", wrong[0] == '[' ? "extraction" : "'");
  }
}

TEST_F(DatasetTest, FolderMustBeOne) {
  EXPECT_SPML_ERROR(open_dataset(folder_ / "x"), HasSubstr("nothing of that name"));
  write_info("{}");
  EXPECT_SPML_ERROR(open_dataset(folder_ / "dataset.json"), HasSubstr("found a file"));
}

TEST_F(DatasetTest, ShapesAgree) {
  SmallFolder::labels(observed_file(folder_.path(), "train"), {1, 0, 0, 1}, 2);
  expect_refused("formatted_train_labels_obs.npy: expected 3 rows", "found 2");
  SmallFolder::labels(observed_file(folder_.path(), "train"), {1, 0, 0}, 1);
  expect_refused("formatted_train_labels_obs.npy: expected 2 columns", "found 1");
}

TEST_F(DatasetTest, FeatureRowsAgree) {
  SmallFolder::features(features_file(folder_.path(), "train"), {1, 2}, 2);
  expect_refused("train_features_imagenet_resnet50.npy: expected 3 rows", "found 1");
}

TEST_F(DatasetTest, NameRowsAgree) {
  SmallFolder::names(images_file(folder_.path(), "train"), {"a.jpg"});
  expect_refused("formatted_train_images.npy: expected 3 rows", "found 1");
}

TEST_F(DatasetTest, TrainingAndTestFilesAgree) {
  SmallFolder::features(features_file(folder_.path(), "val"), {1, 2, 3, 4, 5, 6}, 3);
  expect_refused("val_features_imagenet_resnet50.npy: expected 2 columns", "found 3");
  SmallFolder::labels(truth_file(folder_.path(), "val"), {0, 1}, 1);
  expect_refused("formatted_val_labels.npy: expected 2 columns", "found 1");
}

TEST_F(DatasetTest, LabelsAreLegal) {
  SmallFolder::labels(truth_file(folder_.path(), "train"), {1, 0, 1, 2, 0, 1}, 2);
  expect_refused("formatted_train_labels.npy: row 1, column 1", "0 or 1, found 2");
  SmallFolder::labels(truth_file(folder_.path(), "train"), {1, 0, 1, -1, 0, 1}, 2);
  expect_refused("formatted_train_labels.npy: row 1, column 1", "found -1");
}

TEST_F(DatasetTest, ObservedLabelsAreLegal) {
  SmallFolder::labels(observed_file(folder_.path(), "train"), {1, -1, 0, 1, -2, 1}, 2);
  expect_refused("formatted_train_labels_obs.npy: row 2, column 0", "-1, 0 or 1, found -2");
}

TEST_F(DatasetTest, AnObservedPositiveIsNotATrueNegative) {
  SmallFolder::labels(observed_file(folder_.path(), "train"), {1, -1, 1, 0, 1, 0}, 2);
  expect_refused("formatted_train_labels_obs.npy: row 2, column 0", "true negative");
}

// People err when they say no, too; a label that is wrong that way leaves the truth as it is.
TEST_F(DatasetTest, AnObservedNegativeMayBeATruePositive) {
  SmallFolder::labels(observed_file(folder_.path(), "train"), {1, -1, 1, -1, 0, 1}, 2);
  EXPECT_NO_THROW(open_dataset(folder_.path()));
}

TEST_F(DatasetTest, ClassesHaveDifferentNames) {
  write_info(R"({"classes": ["cat", "cat"]})");
  expect_refused("dataset.json", "found 'cat' as entries 0 and 1");
}

TEST_F(DatasetTest, FeaturesAreFinite) {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    const std::vector<float> values = {1, 2, 3, bad, bad, 6};
    SmallFolder::features(features_file(folder_.path(), "train"), values, 2);
    expect_refused("resnet50.npy: row 1, column 1", "expected a finite feature, found");
    write_npy_f16(features_file(folder_.path(), "train"), View<const float>{values.data(), 3, 2});
    expect_refused("resnet50.npy: row 1, column 1", "expected a finite feature, found");
    EXPECT_NO_THROW(open_dataset(folder_.path(), {.check_features = false}));
    EXPECT_NO_THROW(open_dataset(folder_.path(), {.load_features = false}));
  }
}

TEST_F(DatasetTest, LargeFiniteFeaturesAreFine) {
  SmallFolder::features(features_file(folder_.path(), "train"), {3e38f, -3e38f, 1e-45f, 0, 5, 6},
                        2);
  EXPECT_NO_THROW(open_dataset(folder_.path()));
}

TEST_F(DatasetTest, ImageNamesHaveText) {
  SmallFolder::names(images_file(folder_.path(), "train"), {"a.jpg", "", "c.jpg"});
  expect_refused("formatted_train_images.npy: row 1", "found no text");
  SmallFolder::labels(images_file(folder_.path(), "train"), {1, 2, 3}, 1);
  expect_refused("formatted_train_images.npy", "expected a list of text");
}

TEST_F(DatasetTest, ZeroRowsAreRefused) {
  SmallFolder::labels(truth_file(folder_.path(), "train"), {}, 2);
  expect_refused("formatted_train_labels.npy: expected at least one row", "0 x 2");
}

TEST_F(DatasetTest, OneLabelIsLegal) {
  std::filesystem::remove(observed_file(folder_.path(), "train"));
  SmallFolder::labels(truth_file(folder_.path(), "train"), {1, 0, 1}, 1);
  SmallFolder::labels(truth_file(folder_.path(), "val"), {1, 0}, 1);
  EXPECT_EQ(open_dataset(folder_.path()).labels(), 1u);
}

TEST_F(DatasetTest, InfoNamesClassesAndFiles) {
  std::filesystem::rename(features_file(folder_.path(), "train"), folder_ / "other.npy");
  write_info(R"({"name": "tiny", "classes": ["cat", "dog"], "expected_positives": 1.25,
                 "image_root": "jpg", "features": {"train": "other.npy"}, "unknown": [null]})");
  const Dataset data = open_dataset(folder_.path());
  EXPECT_EQ(data.name, "tiny");
  EXPECT_THAT(data.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(data.expected_positives, 1.25);
  EXPECT_EQ(data.image_root, "jpg");
  EXPECT_EQ(data.train_file.features.rows(), 3u);
  write_info(R"({"features": {"train": "missing.npy"}})");
  expect_refused("missing.npy: no such file", "dataset.json names it");
}

TEST_F(DatasetTest, InfoHasTheRightTypes) {
  const auto refused = [&](const std::string& json, const std::string& why) {
    write_info(json);
    expect_refused("dataset.json: ", why);
  };
  refused("[]", "expected a JSON object, found array");
  refused("{", "expected valid JSON");
  refused(R"({"name": 3})", "'name' to be text, found 3");
  refused(R"({"name": ""})", "'name' to be text");
  refused(R"({"classes": "cat"})", "a list of names");
  refused(R"({"classes": ["cat", 1]})", "entry 1 is not one");
  refused(R"({"classes": ["cat", ""]})", "entry 1 is not one");
  refused(R"({"classes": ["cat"]})", "expected 2 class names");
  refused(R"({"expected_positives": "1.5"})", "positive number");
  refused(R"({"expected_positives": 0})", "positive number, found 0");
  refused(R"({"expected_positives": 3})", "at most 2 labels, found 3");
  refused(R"({"image_root": null})", "'image_root' to be text, found null");
  refused(R"({"features": "x.npy"})", "'train' and 'val'");
  refused(R"({"features": {"val": 1}})", "'val' to be text");
}

TEST_F(DatasetTest, FingerprintFollowsTheContents) {
  const std::string original = fingerprint(open_dataset(folder_.path()));
  EXPECT_EQ(original.size(), 32u);
  EXPECT_EQ(fingerprint(open_dataset(SmallFolder().path())), original);
  const auto changed = [&] { return fingerprint(open_dataset(folder_.path())) != original; };
  SmallFolder::features(features_file(folder_.path(), "train"), {1, 2, 3, 4, 5, 6.5}, 2);
  EXPECT_TRUE(changed());
  SmallFolder::features(features_file(folder_.path(), "train"), {1, 2, 3, 4, 5, 6}, 2);
  EXPECT_FALSE(changed());
  SmallFolder::labels(truth_file(folder_.path(), "val"), {0, 1, 1, 1}, 2);
  EXPECT_TRUE(changed());
}

TEST(DataInMemory, IsCheckedLikeAFolder) {
  Dataset data;
  EXPECT_SPML_ERROR(check_dataset(data), HasSubstr("found neither"));
  data.train_file.observed = LabelMatrix({1, 0, 0, 1}, 2, 2);
  data.train_file.features = FeatureMatrix({1, 2, 3, 4, 5, NAN}, 2, 3);
  EXPECT_SPML_ERROR(check_dataset(data), HasSubstr("features in memory: row 1, column 2"));
  data.train_file.features = FeatureMatrix({1, 2, 3, 4, 5, 6}, 2, 3);
  EXPECT_NO_THROW(check_dataset(data));
  EXPECT_EQ(data.labels(), 2u);
  EXPECT_SPML_ERROR(LabelMatrix({1, 0, 0}, 2, 2), HasSubstr("expected 2 x 2 labels, found 3"));
  EXPECT_SPML_ERROR(FeatureMatrix({1}, 2, 2), HasSubstr("expected 2 x 2 features, found 1"));
}

TEST(LabelMatrix, PartsOfRowsAreReadWhateverTheType) {
  TemporaryFolder folder;
  const std::vector<int8_t> labels = {1, 0, -1, 0, 0, 1};
  const std::vector<float> floats(labels.begin(), labels.end());
  write_npy(folder / "int8.npy", View<const int8_t>{labels.data(), 2, 3});
  write_npy(folder / "float.npy", View<const float>{floats.data(), 2, 3});
  LabelMatrix matrices[] = {LabelMatrix(labels, 2, 3), open_labels(folder / "int8.npy"),
                            open_labels(folder / "float.npy")};
  for (const LabelMatrix& matrix : matrices) {
    std::vector<int8_t> part(2), row(3), none;
    matrix.read_part(0, 1, part);
    EXPECT_THAT(part, testing::ElementsAre(0, -1));
    matrix.read_row(1, row);
    EXPECT_THAT(row, testing::ElementsAre(0, 0, 1));
    EXPECT_NO_THROW(matrix.read_part(1, 3, none));
    EXPECT_SPML_ERROR(matrix.read_part(0, 2, part), HasSubstr("2 labels from 2"));
    EXPECT_SPML_ERROR(matrix.read_part(2, 0, part), HasSubstr("row 2"));
    EXPECT_SPML_ERROR(matrix.read_row(0, part), HasSubstr("expected to read 3 labels"));
  }
}

TEST_F(DatasetTest, NamedFeaturesStayInTheFolder) {
  for (const std::string name : {"/etc/passwd", "../f.npy", "a/../../f.npy"}) {
    write_info(R"({"features": {"train": ")" + name + "\"}}");
    expect_refused("dataset.json: 'features'", "expected the name of a file below");
  }
}

TEST_F(DatasetTest, ImagesStayBelowTheirRoot) {
  folder_.names(images_file(folder_.path(), "train"), {"a.jpg", "../../b.jpg", "c.jpg"});
  const Dataset data = open_dataset(folder_.path());  // nobody looks at them yet
  EXPECT_SPML_ERROR(image_files(data, data.train_file), HasSubstr("row 1: expected the name"));
}

TEST_F(DatasetTest, RootsOutsideTheFolderAreRecognised) {
  EXPECT_FALSE(images_are_elsewhere(folder_.path(), ""));
  EXPECT_FALSE(images_are_elsewhere(folder_.path(), "images"));
  EXPECT_TRUE(images_are_elsewhere(folder_.path(), "../images"));
  EXPECT_TRUE(images_are_elsewhere(folder_.path(), "a/../../b"));
  EXPECT_TRUE(images_are_elsewhere(folder_.path(), "/images"));
}

// A file of 40 MB on paper, nothing on disk.
TEST_F(DatasetTest, MoreLabelsThanFitAreRefused) {
  const Path path = truth_file(folder_.path(), "train");
  write_file(path, make_npy_header(DType::kI8, 1, std::vector<size_t>{1, 40'000'000}));
  std::filesystem::resize_file(path, 128 + 40'000'000);
  expect_refused("formatted_train_labels.npy", "at most 1000000 labels");
}

TEST_F(DatasetTest, FeaturesThatMustBeConvertedAreBoundedByMemory) {
  const Path path = features_file(folder_.path(), "train");
  write_file(path, make_npy_header(DType::kF64, 8, std::vector<size_t>{3, 1'000'000}));
  std::filesystem::resize_file(path, 128 + 3 * 8'000'000);
  EXPECT_SPML_ERROR(open_dataset(folder_.path(), {.memory = MemoryBudget(1'000'000)}),
                    AllOf(HasSubstr("needs 12.0 MB"), HasSubstr("--max-memory")));
}

TEST_F(DatasetTest, TheRootOfImagesIsNoLongerThanAPath) {
  std::string root;
  for (size_t i = 0; i < 20'000; ++i) root += "a/";
  write_info(R"({"image_root": ")" + root + R"("})");
  expect_refused("dataset.json", "at most 4096 bytes, found 40000");
}

TEST_F(DatasetTest, BothFilesOfFeaturesShareTheMemory) {
  const auto put = [&](const char* part, size_t rows) {
    const Path path = features_file(folder_.path(), part);
    write_file(path, make_npy_header(DType::kF64, 8, std::vector<size_t>{rows, 1000}));
    std::filesystem::resize_file(path, 128 + rows * 8000);
  };
  put("train", 3);
  put("val", 2);
  EXPECT_NO_THROW(open_dataset(folder_.path(), {.memory = MemoryBudget(20'000)}));
  EXPECT_SPML_ERROR(open_dataset(folder_.path(), {.memory = MemoryBudget(19'999)}),
                    HasSubstr("val_features_imagenet_resnet50.npy"));
}

TEST_F(DatasetTest, ImageSizesAreBounded) {
  write_info(
      R"({"extraction": {"weights": "w", "weights_sha256": "s", "architecture": "resnet50", "size": 65535}})");
  expect_refused("dataset.json", "from 1 to 4096 pixels");
}

}  // namespace
}  // namespace spml
