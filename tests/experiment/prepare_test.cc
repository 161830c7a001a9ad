// Which rows, labels and k a run gets, and what it is told when something is missing.
#include "fit/prepare.h"

#include "data.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TrainConfig config_for(const std::string& loss) {
  TrainConfig config;
  config.loss = loss;
  config.batch = 8;
  return config;
}

bool any_negative(const LabelMatrix& labels) {
  std::vector<int8_t> row(labels.cols());
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    if (std::ranges::find(row, int8_t{-1}) != row.end()) return true;
  }
  return false;
}

TEST(Prepare, UsesTheFilesLabelsAndAFifthOfTheRowsForValidation) {
  const Dataset data = small_data();
  const Prepared prepared = prepare(data, config_for("an"));
  EXPECT_EQ(prepared.split.train.size(), 48u);
  EXPECT_EQ(prepared.split.val.size(), 12u);
  EXPECT_TRUE(prepared.drawn.empty());
  EXPECT_EQ(&prepared.observed(), &data.train_file.observed);
  EXPECT_EQ(&prepared.validation_labels(), &data.train_file.truth);
  EXPECT_THAT(prepared.notices, IsEmpty());
}

// Data that lists every label is not reduced to one of a row without a word, nor the reverse.
TEST(Prepare, SaysWhichLabelsItTrainsOn) {
  Dataset data = small_data();
  const size_t N = data.train_file.truth.rows(), L = data.train_file.truth.cols();
  std::vector<int8_t> all(N * L);
  for (size_t i = 0; i < N; ++i) {
    data.train_file.truth.read_row(i, std::span(all).subspan(i * L, L));
  }
  std::ranges::replace(all, int8_t{0}, int8_t{-1});
  data.train_file.observed = LabelMatrix(all, N, L);
  const Prepared full = prepare(data, config_of("an"));
  EXPECT_TRUE(full.drawn.empty());
  EXPECT_THAT(full.notices, ElementsAre(HasSubstr("training on all labels of every row")));

  TrainConfig one = config_of("an");
  one.observe.emplace();
  EXPECT_FALSE(prepare(data, one).drawn.empty());

  data.train_file.observed = {};
  const Prepared drawn = prepare(data, config_of("an"));
  EXPECT_FALSE(any_negative(drawn.observed()));
  EXPECT_THAT(drawn.notices, ElementsAre(HasSubstr("drew one positive per row")));
}

TEST(Prepare, SubsamplesTrainingRowsOnly) {
  const Dataset data = small_data();
  TrainConfig config = config_for("an");
  config.subsample = 0.5;
  const Prepared prepared = prepare(data, config);
  EXPECT_EQ(prepared.split.train.size(), 24u);
  EXPECT_EQ(prepared.split.val.size(), 12u);
}

TEST(Prepare, KIsTheFlagElseTheDataSetsElseTheTruths) {
  Dataset data = small_data();
  TrainConfig config = config_for("role");
  EXPECT_NEAR(*prepare(data, config).k, 80.0 / 60, 1e-12);
  data.expected_positives = 2;
  EXPECT_EQ(prepare(data, config).k, 2);
  config.k = 3;
  EXPECT_EQ(prepare(data, config).k, 3);
  const Dataset unknown = small_data({.truth = false});
  EXPECT_EQ(prepare(unknown, config_for("an")).k, std::nullopt);
}

TEST(Prepare, WithoutTruthValidationFallsBackToObservedLabelsAndSaysSo) {
  const Dataset data = small_data({.truth = false});
  const Prepared prepared = prepare(data, config_for("an"));
  EXPECT_EQ(prepared.select, Select::kObserved);
  EXPECT_EQ(&prepared.validation_labels(), &data.train_file.observed);
  EXPECT_THAT(prepared.notices, ElementsAre(HasSubstr("--select observed")));
}

// Of the 60 validation rows of 300, whose labels have 20 positives each in all.
TEST(Prepare, ValidatesOnCompleteRowsWhereTheyHaveEnoughPositives) {
  const Dataset data = small_data({.rows = 300});
  TrainConfig config = config_for("an");
  config.select = Select::kObserved;
  const auto rows_with = [&](double complete) {
    config.observe = ObserveOptions{.complete = complete};
    return prepare(data, config).complete_val.size();
  };
  EXPECT_EQ(rows_with(1), 60u);
  EXPECT_GE(rows_with(0.95), 50u);
  EXPECT_EQ(rows_with(0.5), 0u) << "too few rows";
  const Dataset many_labels = small_data({.rows = 300, .labels = 30});
  config.observe = ObserveOptions{.complete = 0.95};
  EXPECT_THAT(prepare(many_labels, config).complete_val, IsEmpty()) << "three positives of a label";
  config.observe = ObserveOptions{.complete = 1};
  EXPECT_EQ(prepare(many_labels, config).complete_val.size(), 60u) << "nothing else to go by";
}

TEST(Prepare, DrawsWhatALossNeedsFromTheTruth) {
  const Dataset data = small_data();
  const Prepared prepared = prepare(data, config_for("iu"));
  EXPECT_TRUE(any_negative(prepared.observed()));
  EXPECT_FALSE(any_negative(data.train_file.observed));
  EXPECT_THAT(prepared.notices, ElementsAre(HasSubstr("drew one per row")));
  TrainConfig given = config_for("an");
  given.observe = ObserveOptions{.num_pos = 1, .num_neg = 2, .seed = 7};
  EXPECT_TRUE(any_negative(prepare(data, given).observed()));
}

TEST(Prepare, AddsNegativesToThePositivesOfTheFile) {
  Dataset data = small_data();
  const LabelMatrix& truth = data.train_file.truth;
  for (const uint32_t seed : {1200u, 7u}) {
    data.train_file.observed = draw_observed(truth, {.seed = seed});
    const Prepared prepared = prepare(data, config_for("iu"));
    const LabelMatrix usual = draw_observed(truth, {.num_pos = 1, .num_neg = 1});
    std::vector<int8_t> file(4), drawn(4), labels(4);
    for (size_t i = 0; i < truth.rows(); ++i) {
      data.train_file.observed.read_row(i, file);
      usual.read_row(i, drawn);
      prepared.observed().read_row(i, labels);
      for (size_t j = 0; j < 4; ++j) {
        EXPECT_EQ(labels[j] > 0, file[j] > 0) << seed << " " << i << " " << j;
        EXPECT_EQ(labels[j] < 0, drawn[j] < 0) << seed << " " << i << " " << j;
      }
    }
  }
}

TEST(Prepare, NeedsAPositiveWhereTheLossLearnsFromObservedLabels) {
  Dataset data = small_data();
  data.train_file.observed = LabelMatrix(std::vector<int8_t>(60 * 4), 60, 4);
  EXPECT_SPML_ERROR(prepare(data, config_for("an")), HasSubstr("at least one observed positive"));
  EXPECT_NO_THROW(prepare(data, config_for("bce")));
}

TEST(Prepare, NoRowHasMoreLabelsThanThereAre) {
  TrainConfig config = config_for("an");
  config.k = 5;
  EXPECT_SPML_ERROR(prepare(small_data(), config), HasSubstr("expected k in [0, 4]"));
}

TEST(Prepare, ObservationsAreSaidOnce) {
  EXPECT_EQ(observe_from("pos=2,neg=1").num_pos, 2u);
  EXPECT_SPML_ERROR(observe_from("pos=1,pos=2"), HasSubstr("'pos' is given twice"));
  EXPECT_SPML_ERROR(observe_from("complete=0,complete=1"), HasSubstr("'complete' is given twice"));
}

TEST(Prepare, SaysWhatIsMissing) {
  Dataset data = small_data({.truth = false});
  TrainConfig config = config_for("an");
  config.observe = ObserveOptions{};
  EXPECT_SPML_ERROR(prepare(data, config), HasSubstr("formatted_train_labels.npy"));
  EXPECT_SPML_ERROR(prepare(data, config_for("iu")), HasSubstr("needs observed negatives"));
  config = config_for("an");
  config.batch = 49;
  EXPECT_SPML_ERROR(prepare(data, config), HasSubstr("found 48; lower --batch"));
  config = config_for("an");
  config.val_fraction = 0;
  EXPECT_SPML_ERROR(prepare(data, config), HasSubstr("no validation rows"));
  data.train_file.observed = {};
  EXPECT_SPML_ERROR(prepare(data, config_for("an")), HasSubstr("found neither"));
}

}  // namespace
}  // namespace spml
