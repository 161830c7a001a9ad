#include "loss/labels.h"

#include "testing.h"

namespace spml {
namespace {

using Labels = std::vector<int8_t>;
using testing::AllOf;
using testing::HasSubstr;

View<const int8_t> one_row(const Labels& labels) {
  return {labels.empty() ? nullptr : labels.data(), 1, labels.size()};
}

Labels prepared(std::string_view loss, const Labels& observed, const Labels& truth) {
  Labels out(observed.empty() ? truth.size() : observed.size(), 99);
  prepare_labels(find_loss(loss), one_row(observed), one_row(truth), {out.data(), 1, out.size()});
  return out;
}

TEST(PrepareLabels, ObservedLabelsPassUnchanged) {
  EXPECT_EQ(prepared("an", {1, 0, -1, 0}, {1, 1, 0, 0}), (Labels{1, 0, -1, 0}));
  EXPECT_EQ(prepared("iu", {1, 0, -1, 0}, {}), (Labels{1, 0, -1, 0}));
}

TEST(PrepareLabels, TruthReplacesWhatWasObserved) {
  EXPECT_EQ(prepared("bce", {1, 0, 0}, {1, 1, 0}), (Labels{1, 1, -1}));
  EXPECT_EQ(prepared("bce-ls", {}, {0, 1}), (Labels{-1, 1}));
}

TEST(PrepareLabels, TrueNegativesLeaveUnobservedPositivesUnknown) {
  EXPECT_EQ(prepared("iun", {1, 0, 0}, {1, 1, 0}), (Labels{1, 0, -1}));
}

TEST(PrepareLabels, MissingTruthIsAnErrorUnlessNothingIsUnknown) {
  EXPECT_SPML_ERROR(prepared("bce", {1, 0}, {}), AllOf(HasSubstr("bce"), HasSubstr("--truth")));
  EXPECT_SPML_ERROR(prepared("iun", {1, 0}, {}), HasSubstr("true negatives"));
  EXPECT_EQ(prepared("bce", {1, -1}, {}), (Labels{1, -1}));
}

TEST(PrepareLabels, ContradictionsAreNamedByRowAndColumn) {
  EXPECT_SPML_ERROR(prepared("an", {0, 1}, {1, 0}), HasSubstr("row 0, column 1"));
  EXPECT_SPML_ERROR(prepared("an", {-1, 1}, {1, 1}), HasSubstr("row 0, column 0"));
}

}  // namespace
}  // namespace spml
