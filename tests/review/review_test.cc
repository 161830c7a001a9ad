#include "review/review.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "review/store/answered_labels.h"
#include "run/trained_model.h"
#include "toy_review.h"

namespace spml::review {
namespace {

using testing::HasSubstr;

TEST(Review, SuggestsEveryUnknownEntryByScore) {
  const ToyReview toy;
  const auto review = toy.open();
  Listing listing;
  listing.limit = ToyReview::kRows * ToyReview::kLabels;
  const auto list = review->store().list(listing);
  std::vector<int8_t> labels(ToyReview::kLabels);
  size_t unknown = 0;
  for (size_t i = 0; i < ToyReview::kRows; ++i) {
    review->observed().read_row(i, labels);
    unknown += static_cast<size_t>(std::count(labels.begin(), labels.end(), 0));
  }
  EXPECT_EQ(list.size(), unknown);
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end(),
                             [](const Listed& a, const Listed& b) { return a.score > b.score; }));
}

TEST(Review, KeepsTheBestWhereThereAreTooMany) {
  const ToyReview toy;
  Suggestions all, best;
  {
    const Dataset data = open_dataset(toy.data());
    Scorer scorer(toy.run(), data, 1);
    all = scorer.suggest(data.train_file.observed, 100'000);
    best = scorer.suggest(data.train_file.observed, 50);
  }
  ASSERT_EQ(best.list.size(), 50u);
  EXPECT_EQ(best.unknown, all.list.size());
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(best.list[i].entry, all.list[i].entry);
}

TEST(Ranking, IsThatOfSuggestWithoutFolds) {
  const ToyReview toy;
  const auto review = toy.open();
  const Dataset data = open_dataset(toy.data());
  const TrainConfig config = load_trained_model(toy.run(), 1).config;
  const Matrix<int8_t> observed = observed_labels(data, config);
  std::vector<int32_t> rows(ToyReview::kRows);
  std::iota(rows.begin(), rows.end(), 0);
  Suggester suggester(data, config, rows, observed, 1);
  suggester.remember(observed);
  RankingOptions options;
  options.top = 50;
  const auto expected = rank_missing(suggester.probabilities(observed), observed, rows, options);
  Listing listing;
  listing.limit = 50;
  const auto list = review->store().list(listing);
  ASSERT_EQ(list.size(), 50u);
  for (size_t i = 0; i < 50; ++i) EXPECT_NEAR(list[i].score, expected[i].score, 1e-6);
  EXPECT_EQ(list[0].entry, (Entry{expected[0].row, expected[0].label}));
}

TEST(Ranking, FollowsAHundredAnswersAndLeavesThemAlone) {
  const ToyReview toy;
  const auto review = toy.open();
  Listing listing;
  listing.limit = 200;
  const auto list = review->store().list(listing);
  ASSERT_EQ(list.size(), 200u);
  const auto answer = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      review->answer(fmt::format("a{}", i), {{list[i].entry, i % 3 ? State::kYes : State::kNo}});
    }
  };
  answer(0, 99);
  EXPECT_EQ(review->ranking(), 0);
  answer(99, 100);
  while (review->ranking() == 0) std::this_thread::yield();
  EXPECT_EQ(review->store().answer_count(), 100);
  for (size_t i = 0; i < 100; ++i) {
    const Listed now = *review->store().find(list[i].entry);
    EXPECT_EQ(now.state, i % 3 ? State::kYes : State::kNo);
    EXPECT_EQ(now.score, list[i].score);
  }
  size_t changed = 0;
  for (size_t i = 100; i < 200; ++i) {
    changed += review->store().find(list[i].entry)->score != list[i].score;
  }
  EXPECT_GT(changed, 50u);
}

TEST(Ranking, OfARunThatAnotherReplacedIsLeftOut) {
  const ToyReview toy;
  const auto review = toy.open();
  const Listed first = review->store().list({}).front();
  EXPECT_FALSE(review->store().rescore(7, {{first.entry, 0.125F}}));
  EXPECT_EQ(review->store().find(first.entry)->score, first.score);
  const int64_t current = review->store().current_run()->id;
  EXPECT_TRUE(review->store().rescore(current, {{first.entry, 0.125F}}));
  EXPECT_EQ(review->store().find(first.entry)->score, 0.125);
}

// Ctrl-C waited up to 15 s for one.
TEST(Ranking, EndsWhenAsked) {
  const ToyReview toy;
  bool stops = false;
  ReviewOptions options = toy.options();
  options.stop_requested = [&] { return stops; };
  std::vector<Suggestion> suggestions;
  {
    const Dataset data = open_dataset(toy.data());
    const LabelMatrix& observed = data.train_file.observed;
    TrainConfig config;
    config.loss = "an";
    Ranker ranker(data, config, observed, 1, options.stop_requested);
    suggestions = ranker.rank({}, 50).list;
    EXPECT_EQ(suggestions.size(), 50u);
    stops = true;
    EXPECT_SPML_ERROR(ranker.rank({}, 50), HasSubstr("stop"));
  }
  EXPECT_SPML_ERROR(std::make_unique<Review>(options), HasSubstr("stop"));
  stops = false;
  Review review(options);  // nothing of the first try is in the way
  const ReviewRun run = *review.store().current_run();
  stops = true;
  EXPECT_SPML_ERROR(
      review.store().replace_suggestions(run, suggestions, {}, options.stop_requested),
      HasSubstr("stop"));
  EXPECT_EQ(review.store().current_run()->id, run.id);
}

// A ranker of fewer rows than the store has fails with an exception of the standard library.
TEST(Ranking, ThatFailsLeavesTheOrderAsItWas) {
  const ToyReview toy;
  const auto review = toy.open();
  const Dataset data = open_dataset(toy.data());
  const LabelMatrix one_row(std::vector<int8_t>(ToyReview::kLabels), 1, ToyReview::kLabels);
  Ranker ranker(data, load_trained_model(toy.run(), 1).config, one_row, 1);
  Listing listing;
  listing.limit = 101;
  const auto list = review->store().list(listing);
  {
    Refresher refresher(review->store(), &ranker);
    for (size_t i = 0; i < 100; ++i) {
      review->store().answer(fmt::format("a{}", i), "ann", {{list[i].entry, State::kYes}});
    }
    refresher.answered();
  }
  EXPECT_EQ(review->store().find(list[100].entry)->score, list[100].score);
}

TEST(Ranking, ByTheRunItselfWhereItsLossNeedsTruth) {
  const ToyReview toy;
  const Dataset data = open_dataset(toy.data());
  TrainConfig config = load_trained_model(toy.run(), 1).config;
  EXPECT_TRUE(Ranker::is_possible(data, config));
  config.loss = "bce";
  EXPECT_FALSE(Ranker::is_possible(data, config));
}

TEST(Review, GoesOnWhereItWas) {
  const ToyReview toy;
  Entry first;
  {
    const auto review = toy.open();
    first = review->store().list({}).front().entry;
    review->store().answer("k", "ann", {{first, State::kYes}});
  }
  ReviewOptions options;  // the review knows its data and its run
  options.out = toy.out();
  Review review(options);
  EXPECT_TRUE(review.resumed());
  EXPECT_THAT(review.notices(), testing::ElementsAre(HasSubstr(toy.data().string())));
  EXPECT_EQ(review.store().find(first)->state, State::kYes);
}

TEST(Review, RefusesASecondOneOnTheSameFolder) {
  const ToyReview toy;
  const auto review = toy.open();
  EXPECT_SPML_ERROR(toy.open(), HasSubstr("another spml process is using it"));
}

TEST(Review, RefusesAFolderWithOtherFiles) {
  const ToyReview toy;
  std::filesystem::create_directory(toy.out());
  write_file(toy.out() / "holiday.jpg", "x");
  EXPECT_SPML_ERROR(toy.open(), HasSubstr("other files"));
}

TEST(Review, BeginsWhereAKilledOneHadBegun) {
  const ToyReview toy;
  std::filesystem::create_directory(toy.out());
  for (const char* name : {"review.lock", "observed.npy", "observed.npy.tmp-0123456789abcdef",
                           "review.db.new", "review.db.new-journal"}) {
    write_file(toy.out() / name, "half");
  }
  EXPECT_FALSE(toy.open()->store().list({}).empty());
}

TEST(Review, SaysThatItHasARunAlready) {
  const ToyReview toy;
  toy.open();
  EXPECT_THAT(toy.open()->notices(), testing::Contains(HasSubstr("is not used")));
}

TEST(Review, AStartThatFailsLeavesNothingInTheWay) {
  const ToyReview toy;
  ReviewOptions wrong = toy.options();
  wrong.data = toy / "nope";
  EXPECT_SPML_ERROR(std::make_unique<Review>(wrong), HasSubstr("nope"));
  wrong = toy.options();
  wrong.run = toy / "nope";
  EXPECT_SPML_ERROR(std::make_unique<Review>(wrong), HasSubstr("nope"));
  EXPECT_FALSE(std::filesystem::exists(toy.out()));
  std::filesystem::create_directory(toy.out());
  write_file(toy.out() / "review.lock", "");  // of one that was killed
  toy.open();
}

TEST(Review, RefusesOtherData) {
  const ToyReview toy;
  toy.open();
  LabelMatrix observed = open_labels(observed_file(toy.data(), "train"));
  std::vector<NewAnswer> change;
  std::vector<int8_t> truth(ToyReview::kLabels);
  open_labels(truth_file(toy.data(), "train")).read_row(0, truth);
  for (int32_t j = 0; j < 6; ++j) {
    if (truth[static_cast<size_t>(j)] == 0) change.push_back({{0, j}, State::kNo});
  }
  write_labels(observed_file(toy.data(), "train"), with_answers(observed, change));
  EXPECT_SPML_ERROR(toy.open(), HasSubstr("expected the data that the review began with"));
}

TEST(Review, ASampleIsDrawnFromOpenEntriesOnly) {
  const ToyReview toy;
  const auto review = toy.open();
  Listing listing;
  listing.limit = 100;
  std::vector<NewAnswer> answers;
  for (const Listed& listed : review->store().list(listing)) {
    answers.push_back({listed.entry, State::kNo});
  }
  review->store().answer("k", "ann", answers);
  size_t unknown = 0;
  for (const Counts& counts : review->store().counts()) {
    unknown += counts[0] + counts[1] + counts[2] + counts[3];
  }
  const int64_t sample = review->draw_sample(60).value();
  const auto entries = review->store().sample_entries(sample);
  EXPECT_EQ(entries.size(), 60u);
  std::set<Entry> different;
  for (const Listed& listed : entries) {
    EXPECT_EQ(listed.state, State::kOpen);
    different.insert(listed.entry);
  }
  EXPECT_EQ(different.size(), 60u);
  EXPECT_EQ(review->last_sample()->record.population, unknown - 100);
  EXPECT_FALSE(review->last_sample()->bound.has_value());
}

TEST(Review, GivesTheBoundWhenTheSampleIsAnswered) {
  const ToyReview toy;
  const auto review = toy.open();
  const int64_t sample = review->draw_sample(100).value();
  std::vector<NewAnswer> answers;
  for (const Listed& listed : review->store().sample_entries(sample)) {
    answers.push_back({listed.entry, answers.size() < 3   ? State::kYes
                                     : answers.size() < 5 ? State::kUnsure
                                                          : State::kNo});
  }
  review->store().answer("k", "ann", answers, sample);
  const auto last = review->last_sample();
  ASSERT_TRUE(last->bound.has_value());
  const uint64_t most = most_positives(5, last->record.population, 100);
  EXPECT_EQ(last->bound->missing_at_most, most - 3);
  EXPECT_DOUBLE_EQ(last->bound->share_found_at_least, 3.0 / static_cast<double>(most));
}

// Each open entry is as likely as another.
TEST(DrawOpen, IsUniform) {
  const LabelMatrix observed({0, 0, 1, 0, -1, 0}, 2, 3);
  std::mt19937_64 random(5);
  std::map<Entry, int> times;
  uint64_t population = 0;
  for (int i = 0; i < 6000; ++i) {
    for (const Entry entry : draw_open(observed, {{{0, 0}, State::kNo}}, 1, random, population)) {
      ++times[entry];
    }
  }
  EXPECT_EQ(population, 3u);
  EXPECT_EQ(times.size(), 3u);
  for (const auto& [entry, count] : times) EXPECT_NEAR(count, 2000, 150);
}

TEST(Labels, YesIsPositiveNoIsNegativeUnsureStaysUnknown) {
  const LabelMatrix labels =
      with_answers(LabelMatrix({0, 0, 1, 0}, 1, 4),
                   {{{0, 0}, State::kYes}, {{0, 1}, State::kNo}, {{0, 3}, State::kUnsure}});
  std::vector<int8_t> row(4);
  labels.read_row(0, row);
  EXPECT_THAT(row, testing::ElementsAre(1, -1, 1, 0));
}

TEST(Labels, AreBoundedByMemory) {
  const int8_t none = 0;
  const View<const int8_t> wide{&none, size_t{1} << 40, size_t{1} << 20};
  EXPECT_SPML_ERROR(with_answers(LabelMatrix(wide), {}), HasSubstr("of memory"));
}

TEST(Retrain, WritesThroughNoLink) {
  const ToyReview toy;
  const auto review = toy.open();
  std::filesystem::create_directory(toy / "elsewhere");
  const auto error = [&] {
    review->retrain();
    while (review->retrain_status().running) std::this_thread::yield();
    return review->retrain_status().error;
  };
  std::filesystem::create_directory_symlink(toy / "elsewhere", toy.out() / "runs");
  EXPECT_THAT(error(), HasSubstr("runs: expected a folder to write to, found a symbolic link"));
  std::filesystem::remove(toy.out() / "runs");
  std::filesystem::create_directory(toy.out() / "runs");
  std::filesystem::create_directory_symlink(toy / "elsewhere", toy.out() / "runs" / "002");
  EXPECT_THAT(error(), HasSubstr("002: expected a folder to write to, found a symbolic link"));
  EXPECT_TRUE(std::filesystem::is_empty(toy / "elsewhere"));
}

TEST(Retrain, MakesARunWithTheAnswersWhileMoreComeIn) {
  const ToyReview toy;
  const auto review = toy.open();
  Listing listing;
  listing.limit = 40;
  const auto list = review->store().list(listing);
  for (size_t i = 0; i < 20; ++i) {
    review->store().answer(fmt::format("a{}", i), "ann", {{list[i].entry, State::kYes}});
  }
  EXPECT_TRUE(review->retrain());
  for (size_t i = 20; i < 40; ++i) {
    review->store().answer(fmt::format("a{}", i), "ann", {{list[i].entry, State::kNo}});
  }
  while (review->retrain_status().running) std::this_thread::yield();
  EXPECT_EQ(review->retrain_status().error, "");
  EXPECT_EQ(review->store().answer_count(), 40);
  const ReviewRun run = *review->store().current_run();
  EXPECT_EQ(run.state, RunState::kDone);
  EXPECT_TRUE(run.val_map.has_value());
  EXPECT_GE(run.answers, 20);
  // 20 labels, or more, were found since.
  EXPECT_GE(*run.expected, *review->store().runs().front().expected - 20 - 1e-6);
  // Usable like any other run, and not the same classifier.
  const TrainedModel before = load_trained_model(toy.run(), 1);
  const TrainedModel after = load_trained_model(toy.out() / run.folder, 1);
  EXPECT_NE(before.model->weight(), after.model->weight());
  // A second one starts from it.
  EXPECT_TRUE(review->retrain());
  while (review->retrain_status().running) std::this_thread::yield();
  EXPECT_EQ(review->retrain_status().error, "");
  EXPECT_EQ(review->store().runs().size(), 3u);
}

TEST(Review, TakesAnAnswerToAnyUnknownEntryAndToNoKnownOne) {
  const ToyReview toy;
  ReviewOptions options = toy.options();
  options.limit = 10;
  Review review(options);
  ASSERT_EQ(review.store().list({}).size(), 10u);
  std::vector<int8_t> labels(ToyReview::kLabels);
  review.observed().read_row(0, labels);
  size_t key = 0;
  for (int32_t label = 0; label < static_cast<int32_t>(ToyReview::kLabels); ++label) {
    const std::vector<NewAnswer> answer = {{{0, label}, State::kNo}};
    const std::string name = fmt::format("k{}", ++key);
    if (labels[static_cast<size_t>(label)] == 0) {
      EXPECT_EQ(review.answer(name, answer).states.size(), 1u);
    } else {
      EXPECT_FALSE(review.answer(name, answer).refused.empty());
    }
  }
  EXPECT_EQ(review.store().answer_count(), static_cast<int64_t>(ToyReview::kLabels) - 1);
}

TEST(Retrain, ThatIsStoppedLeavesSuggestionsAsTheyWere) {
  const ToyReview toy;
  auto review = toy.open();
  const auto before = review->store().list({});
  review->retrain();
  review->stop_retraining();
  review.reset();
  review = toy.open();
  for (const ReviewRun& run : review->store().runs()) EXPECT_NE(run.state, RunState::kTraining);
  EXPECT_EQ(review->store().list({}).size(), before.size());
}

TEST(Neighbours, AreTheMostSimilarObservedPositives) {
  const ToyReview toy;
  const auto review = toy.open();
  const Dataset data = open_dataset(toy.data());
  const Entry entry = review->store().list({}).front().entry;
  const auto near = review->neighbours().nearest(entry, 3);
  ASSERT_FALSE(near.empty());
  std::vector<int8_t> labels(ToyReview::kLabels);
  for (const Neighbour& neighbour : near) {
    EXPECT_NE(neighbour.row, entry.row);
    EXPECT_LE(neighbour.similarity, 1.0001F);
    review->observed().read_row(static_cast<size_t>(neighbour.row), labels);
    EXPECT_EQ(labels[static_cast<size_t>(entry.label)], 1);
  }
  EXPECT_TRUE(std::is_sorted(near.begin(), near.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.similarity > b.similarity;
  }));
}

TEST(AnswerLog, HasEveryAnswerOnceAlsoAfterAKill) {
  const ToyReview toy;
  ReviewOptions options = toy.options();
  options.log = toy / "log.jsonl";
  std::vector<Entry> entries;
  std::string id;
  {
    Review review(options);
    id = review.store().subject().id;
    for (const Listed& listed : review.store().list({})) entries.push_back(listed.entry);
    review.store().answer("a", "ann", {{entries[0], State::kYes}});
  }
  toy.open()->store().answer("b", "ann", {{entries[1], State::kNo}});   // without the log
  write_file(options.log, read_file(options.log) + "{\"id\":2,\"rev");  // a line cut short
  {
    Review review(options);
    review.store().undo("c", "ann");
  }
  const std::string text = read_file(options.log);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("\"answer\":\"yes\""));
  EXPECT_THAT(text, HasSubstr("\"answer\":\"open\",\"undo\":true"));
  const std::string deep(200'000, '[');
  for (const std::string& other :
       {std::string("my notes\n"), std::string("my notes"),
        std::string("{\"id\":1,\"review\":\"another\"}\n"), deep + "\n",
        fmt::format("{{\"id\":9223372036854775808,\"review\":\"{}\"}}\n", id)}) {
    write_file(options.log, other);
    EXPECT_SPML_ERROR(std::make_unique<Review>(options), HasSubstr("something else"));
    EXPECT_EQ(read_file(options.log), other);
  }
}

TEST(AnswerLog, FollowsNoLinkAndWaitsForNoPipe) {
  const ToyReview toy;
  ReviewOptions options = toy.options();
  options.log = toy / "log.jsonl";
  write_file(toy / "diary", "");
  std::filesystem::create_symlink(toy / "diary", options.log);
  EXPECT_SPML_ERROR(std::make_unique<Review>(options), HasSubstr("cannot write the log"));
  std::filesystem::remove(options.log);
  ASSERT_EQ(::mkfifo(options.log.c_str(), 0600), 0);
  EXPECT_SPML_ERROR(std::make_unique<Review>(options), HasSubstr("expected a regular file"));
}

}  // namespace
}  // namespace spml::review
