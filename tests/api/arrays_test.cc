// Matrices, features, .npy files and versions as a user of the library meets them.
#include <cmath>

#include "spml/spml.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Matrix, HasRows) {
  Matrix<float> matrix(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(matrix.rows(), 2U);
  EXPECT_EQ(matrix.cols(), 3U);
  EXPECT_THAT(matrix.row(1), ElementsAre(4, 5, 6));
  matrix.row(0)[2] = 9;
  EXPECT_EQ(matrix(0, 2), 9);
  EXPECT_EQ(matrix.view()(0, 2), 9);
  EXPECT_EQ(matrix.view().data, matrix.data());
}

TEST(Matrix, RefusesAnotherNumberOfValues) {
  EXPECT_SPML_ERROR(Matrix<float>(2, 3, {1, 2, 3}), HasSubstr("expected 2 x 3 values, found 3"));
}

TEST(Matrix, CopiesWhatAViewShows) {
  const Matrix<int8_t> matrix(2, 2, {1, 0, -1, 1});
  const Matrix<int8_t> copy(matrix.view());
  EXPECT_EQ(copy, matrix);
  EXPECT_NE(copy.data(), matrix.data());
}

TEST(Matrix, WithoutValuesGivesAnEmptyView) {
  EXPECT_TRUE(Matrix<float>().view().empty());
  EXPECT_TRUE(Matrix<float>(0, 3).view().empty());
}

TEST(Features, AreFloatsOrHalves) {
  const Matrix<float> floats(1, 2, {1, 2});
  const std::vector<uint16_t> bits{0x3c00, 0x4000, 0xbc00};  // 1, 2, -1
  const Features full = floats, half = Features::float16({bits.data(), 3, 1});
  EXPECT_FALSE(full.is_float16());
  EXPECT_EQ(full.floats().data, floats.data());
  EXPECT_TRUE(half.is_float16());
  EXPECT_EQ(half.rows(), 3U);
  EXPECT_EQ(half.cols(), 1U);
  EXPECT_TRUE(half.floats().empty());
}

TEST(Npy, ComesBackAsItWasSaved) {
  const TemporaryFolder folder;
  const Matrix<float> floats(2, 2, {1.5F, -2, 0, 3});
  const Matrix<int8_t> labels(1, 3, {1, 0, -1});
  save_npy(folder / "floats.npy", floats.view());
  save_npy(folder / "labels.npy", labels.view());
  EXPECT_EQ(load_floats(folder / "floats.npy"), floats);
  EXPECT_EQ(load_labels(folder / "labels.npy"), labels);
}

TEST(Npy, LabelsMustBeWholeNumbers) {
  const TemporaryFolder folder;
  const Matrix<float> halves(1, 1, {0.5F});
  save_npy(folder / "halves.npy", halves.view());
  EXPECT_SPML_ERROR(load_labels(folder / "halves.npy"), HasSubstr("expected a whole number"));
  EXPECT_SPML_ERROR(load_floats(folder / "none.npy"), HasSubstr("none.npy"));
}

TEST(FeatureFile, IsMappedAndSharedByCopies) {
  const TemporaryFolder folder;
  const Matrix<float> values(2, 3, {1, 2, 3, 4, 5, 6});
  save_npy(folder / "f.npy", values.view());
  auto file = std::make_unique<FeatureFile>(folder / "f.npy");
  const FeatureFile copy = *file;
  EXPECT_EQ(copy.view().floats().data, file->view().floats().data);
  file.reset();
  EXPECT_EQ(copy.rows(), 2U);
  EXPECT_EQ(copy.cols(), 3U);
  EXPECT_EQ(copy.view().floats()(1, 2), 6);
}

TEST(Version, IsThatOfTheLibrary) {
  EXPECT_STREQ(library_version(), SPML_VERSION);
  EXPECT_EQ(std::to_string(SPML_VERSION_MAJOR) + "." + std::to_string(SPML_VERSION_MINOR) + "." +
                std::to_string(SPML_VERSION_PATCH),
            kVersion);
  static_assert(SPML_VERSION_AT_LEAST(0, 1, 0));
  static_assert(!SPML_VERSION_AT_LEAST(1000, 0, 0));
}

TEST(Metrics, OfOneClass) {
  // Ranked: 1 0 1 0, so precision 1 at the first positive and 2/3 at the second.
  const std::vector<float> scores{0.9F, 0.8F, 0.7F, 0.1F};
  const std::vector<int8_t> truth{1, 0, 1, 0};
  EXPECT_DOUBLE_EQ(average_precision(scores, truth), (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(average_precision(scores, std::vector<int8_t>(4, 0)), 0);
  EXPECT_SPML_ERROR(average_precision(scores, std::vector<int8_t>(3, 0)),
                    HasSubstr("found 4 and 3"));
  const std::vector<float> bad{0.9F, NAN, 0.7F, 0.1F};
  EXPECT_SPML_ERROR(average_precision(bad, truth), HasSubstr("row 1"));
}

TEST(Metrics, OfARankingAtAnyCut) {
  // Ranked labels: 2 4 0 5 1 3; positives: 4, 5, 3.
  const Matrix<float> scores(1, 6, {0.6F, 0.3F, 0.9F, 0.1F, 0.8F, 0.5F});
  const Matrix<int8_t> truth(1, 6, {0, 0, 0, 1, 1, 1});
  const RankingAt two = ranking_at(2, scores, truth), all = ranking_at(10, scores, truth);
  EXPECT_DOUBLE_EQ(two.precision, 1.0 / 2);
  EXPECT_DOUBLE_EQ(two.recall, 1.0 / 3);
  EXPECT_DOUBLE_EQ(two.hit, 1);
  EXPECT_DOUBLE_EQ(all.precision, 1.0 / 2);
  EXPECT_DOUBLE_EQ(all.recall, 1);
  EXPECT_DOUBLE_EQ(ranking_at(3, scores, truth).precision,
                   ranking_metrics(scores, truth).precision_at[1]);
  EXPECT_SPML_ERROR(ranking_at(0, scores, truth), HasSubstr("at least 1"));
}

}  // namespace
}  // namespace spml
