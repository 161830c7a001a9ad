#include "review/store/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include "testing.h"

namespace spml::review {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Subject small_subject() {
  return {"0123456789abcdef0123456789abcdef", "/data", "f00d", "toy", 100, {"cat", "dog", "bird"}};
}

// Scores that fall with row and label: 100 rows x 3 labels.
std::vector<Suggestion> every_entry(float from = 0.99F) {
  std::vector<Suggestion> list;
  for (int32_t row = 0; row < 100; ++row) {
    for (int32_t label = 0; label < 3; ++label) {
      list.push_back({{row, label}, from - 0.003F * static_cast<float>(3 * row + label)});
    }
  }
  return list;
}

ReviewRun added_run(Store& store, const char* folder = "run") {
  ReviewRun run{.folder = folder};
  run.id = store.add_run(run);
  return run;
}

struct StoreTest : testing::Test {
  TemporaryFolder folder;
  Path file = folder / "review.db";

  std::unique_ptr<Store> with_suggestions() {
    auto store = Store::create(file, small_subject());
    store->replace_suggestions(added_run(*store), every_entry());
    return store;
  }
};

std::vector<Entry> entries_of(const std::vector<Listed>& list) {
  std::vector<Entry> entries;
  for (const Listed& listed : list) entries.push_back(listed.entry);
  return entries;
}

Listing listing_of(std::optional<State> state, size_t limit) {
  Listing listing;
  listing.state = state;
  listing.limit = limit;
  return listing;
}

TEST_F(StoreTest, KeepsWhatTheReviewIsAbout) {
  Store::create(file, small_subject());
  const auto store = Store::open(file);
  EXPECT_EQ(store->subject().name, "toy");
  EXPECT_EQ(store->subject().rows, 100u);
  EXPECT_THAT(store->subject().classes, ElementsAre("cat", "dog", "bird"));
}

TEST_F(StoreTest, ListsTheBestOpenSuggestionsFirst) {
  const auto store = with_suggestions();
  EXPECT_THAT(entries_of(store->list(listing_of(State::kOpen, 3))),
              ElementsAre(Entry{0, 0}, Entry{0, 1}, Entry{0, 2}));
}

TEST_F(StoreTest, FiltersByClassScoreAndState) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{1, 1}, State::kYes}});
  Listing listing = listing_of(State::kOpen, 2);
  listing.label = 1;
  EXPECT_THAT(entries_of(store->list(listing)), ElementsAre(Entry{0, 1}, Entry{2, 1}));
  listing.max_score = 0.5;
  listing.min_score = 0.49;
  for (const Listed& listed : store->list(listing)) {
    EXPECT_LE(listed.score, 0.5);
    EXPECT_GE(listed.score, 0.49);
  }
  EXPECT_THAT(entries_of(store->list(listing_of(State::kYes, 10))), ElementsAre(Entry{1, 1}));
}

// Pages of `size` until the end.
std::vector<Entry> page_through(Store& store, Listing listing) {
  std::vector<Entry> all;
  for (;;) {
    const auto page = store.list(listing);
    if (page.empty()) return all;
    for (const Listed& listed : page) all.push_back(listed.entry);
    listing.after = {page.back().key, page.back().entry};
  }
}

TEST_F(StoreTest, PagesThroughEveryOrderWithoutGapsOrRepeats) {
  const auto store = with_suggestions();
  store->answer("k1", "ann",
                {{{1, 1}, State::kYes}, {{5, 0}, State::kNo}, {{6, 0}, State::kUnsure}});
  for (const Sort sort : {Sort::kScore, Sort::kUncertainty, Sort::kRandom}) {
    for (const std::optional<State> state : {std::optional<State>(), std::optional(State::kOpen)}) {
      Listing listing = listing_of(state, 7);
      listing.sort = sort;
      const auto all = page_through(*store, listing);
      EXPECT_EQ(all.size(), state ? 297u : 300u);
      EXPECT_EQ(std::set<Entry>(all.begin(), all.end()).size(), all.size());
    }
  }
}

TEST_F(StoreTest, SortsByUncertaintyFromTheMiddle) {
  const auto store = with_suggestions();
  Listing listing = listing_of({}, 300);
  listing.sort = Sort::kUncertainty;
  double last = 0;
  for (const Listed& listed : store->list(listing)) {
    EXPECT_GE(std::abs(listed.score - 0.5), last);
    last = std::abs(listed.score - 0.5);
  }
}

TEST_F(StoreTest, AnswersSurviveClosing) {
  with_suggestions()->answer("k1", "ann", {{{0, 0}, State::kYes}, {{0, 1}, State::kNo}});
  const auto store = Store::open(file);
  EXPECT_EQ(store->find({0, 0})->state, State::kYes);
  EXPECT_EQ(store->counts()[1][static_cast<size_t>(State::kNo)], 1u);
  EXPECT_EQ(store->answer_count(), 2);
}

TEST_F(StoreTest, TheSameActionTwiceIsDoneOnce) {
  const auto store = with_suggestions();
  const auto first = store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  const auto again = store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(first.action, again.action);
  int rows = 0;
  store->for_answers(0, [&](const AnswerRecord&) { ++rows; });
  EXPECT_EQ(rows, 1);
  EXPECT_EQ(store->counts()[0][1], 1u);
}

TEST_F(StoreTest, UndoTakesBackOneActionAfterAnotherAlsoAfterARestart) {
  auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  store->answer("k2", "ann", {{{1, 0}, State::kNo}, {{2, 0}, State::kYes}});
  store->answer("k3", "ann", {{{0, 0}, State::kNo}});
  store.reset();
  store = Store::open(file);
  EXPECT_EQ(store->undo("u1", "ann")->states.front().answer, State::kYes);  // as k1 had it
  EXPECT_EQ(store->undo("u2", "ann")->states.size(), 2u);
  EXPECT_EQ(store->find({1, 0})->state, State::kOpen);
  EXPECT_EQ(store->find({0, 0})->state, State::kYes);
  EXPECT_EQ(store->undo("u3", "ann")->states.front().answer, State::kOpen);
  EXPECT_FALSE(store->undo("u4", "ann").has_value());
  EXPECT_EQ(store->answer_count(), 0);
  int rows = 0, undone = 0;
  store->for_answers(0, [&](const AnswerRecord& record) { ++rows, undone += record.undo; });
  EXPECT_EQ(rows, 8);  // nothing was removed
  EXPECT_EQ(undone, 4);
}

TEST_F(StoreTest, UndoneAndAnsweredAgainIsUndoneToOpen) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  store->undo("u1", "ann");
  store->answer("k2", "ann", {{{0, 0}, State::kNo}});
  EXPECT_EQ(store->undo("u2", "ann")->states.front().answer, State::kOpen);
}

TEST_F(StoreTest, AnUndoThatIsSentTwiceUndoesOneAction) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  store->answer("k2", "ann", {{{1, 0}, State::kYes}});
  store->undo("u1", "ann");
  EXPECT_TRUE(store->undo("u1", "ann")->repeated);
  EXPECT_EQ(store->find({0, 0})->state, State::kYes);
}

TEST_F(StoreTest, RefusesAnswersForWhatIsNotSuggested) {
  const auto store = with_suggestions();
  const auto refused = [&](const std::vector<NewAnswer>& answers, std::optional<int64_t> sample) {
    return store->answer("a", "ann", answers, sample).refused;
  };
  EXPECT_THAT(refused({{{100, 0}, State::kYes}}, {}), ElementsAre(Entry{100, 0}));
  EXPECT_THAT(refused({{{0, 3}, State::kYes}}, {}), ElementsAre(Entry{0, 3}));
  EXPECT_SPML_ERROR(store->answer("c", "ann", {{{0, 0}, State::kYes}, {{0, 0}, State::kNo}}),
                    HasSubstr("twice"));
  EXPECT_THAT(refused({{{0, 0}, State::kYes}, {{-1, 0}, State::kNo}}, {}),
              ElementsAre(Entry{-1, 0}));
  EXPECT_THAT(refused({{{0, 0}, State::kYes}}, 1), ElementsAre(Entry{0, 0}));  // no such sample
  EXPECT_EQ(store->find({0, 0})->state, State::kOpen);  // all of an action or nothing
  EXPECT_EQ(store->answer_count(), 0);
}

TEST_F(StoreTest, AnswersAreNeverChangedOrRemoved) {
  with_suggestions()->answer("k1", "ann", {{{0, 0}, State::kYes}});
  Database database(file, Database::Access::kReadWrite);
  EXPECT_SPML_ERROR(database.execute("UPDATE answers SET answer = 2"), HasSubstr("only grow"));
  EXPECT_SPML_ERROR(database.execute("DELETE FROM answers"), HasSubstr("only grow"));
  EXPECT_SPML_ERROR(database.execute("DELETE FROM actions"), HasSubstr("only grow"));
}

TEST_F(StoreTest, NewSuggestionsKeepAnswersAndSamples) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  store->add_sample({{{50, 2}, 0.1F}}, 299, "ann");
  ReviewRun run = added_run(*store, "runs/1");
  run.state = RunState::kDone;
  bool is_current = false;
  store->replace_suggestions(run, {{{1, 0}, 0.7F}, {{2, 0}, 0.8F}},
                             [&] { is_current = store->current_run()->state == RunState::kDone; });
  EXPECT_TRUE(is_current);
  EXPECT_THAT(entries_of(store->list(listing_of(State::kOpen, 10))),
              ElementsAre(Entry{2, 0}, Entry{1, 0}, Entry{50, 2}));
  EXPECT_EQ(store->find({0, 0})->state, State::kYes);
  EXPECT_EQ(store->current_run()->folder, "runs/1");
}

TEST_F(StoreTest, AnsweringGoesOnWhileSuggestionsAreReplaced) {
  const auto store = with_suggestions();
  const ReviewRun run = added_run(*store, "runs/1");
  std::thread replacing([&] { store->replace_suggestions(run, every_entry(0.9F)); });
  for (int32_t row = 0; row < 100; ++row) {
    store->answer(fmt::format("k{}", row), "ann", {{{row, 0}, State::kYes}});
  }
  replacing.join();
  EXPECT_EQ(store->answer_count(), 100);
  EXPECT_EQ(store->list(listing_of(State::kYes, 200)).size(), 100u);
  EXPECT_EQ(Store::open(file)->counts(), store->counts());
}

TEST_F(StoreTest, ASampleCountsWhatWasFoundSinceItWasDrawn) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  const int64_t sample = store->add_sample({{{10, 0}, 0.9F}, {{20, 1}, 0.8F}}, 299, "ann");
  store->answer("k2", "ann", {{{10, 0}, State::kYes}}, sample);
  store->answer("k3", "ann", {{{5, 0}, State::kYes}});
  store->answer("k4", "ann", {{{6, 0}, State::kYes}});
  store->undo("u", "ann");
  const SampleRecord record = *store->last_sample();
  EXPECT_EQ(record.population, 299u);
  EXPECT_EQ(record.counts[static_cast<size_t>(State::kYes)], 1u);
  EXPECT_EQ(record.counts[static_cast<size_t>(State::kOpen)], 1u);
  EXPECT_EQ(record.found_since, 2u);  // (10, 0) and (5, 0)
  EXPECT_THAT(entries_of(store->sample_entries(sample)), ElementsAre(Entry{10, 0}, Entry{20, 1}));
  store->add_sample({{{30, 2}, 0.1F}}, 296, "ann");
  EXPECT_EQ(store->last_sample()->population, 296u);
  EXPECT_EQ(store->last_sample()->found_since, 0u);
}

TEST_F(StoreTest, TellsOfEveryAnswerOnce) {
  const auto store = with_suggestions();
  std::vector<State> told;
  bool takes = true;
  store->on_answer(
      [&](const AnswerRecord& record) {
        if (takes) told.push_back(record.answer);
        return takes;
      },
      0);
  store->answer("k1", "ann", {{{0, 0}, State::kYes}, {{1, 0}, State::kNo}});
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  store->undo("u", "ann");
  EXPECT_EQ(told.size(), 4u);
  takes = false;
  store->answer("k2", "ann", {{{2, 0}, State::kYes}});
  EXPECT_FALSE(store->catch_up());
  takes = true;
  store->answer("k3", "ann", {{{3, 0}, State::kNo}});
  EXPECT_TRUE(store->catch_up());
  EXPECT_EQ(told.size(), 6u);
}

TEST_F(StoreTest, ReadsWhileAnotherWrites) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  EXPECT_EQ(Store::open_read_only(file)->answered().size(), 1u);
}

// Refusals: each in one line, and the file stays as it was.
TEST_F(StoreTest, RefusesATextFile) {
  write_file(file, std::string(5000, 'x'));
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("another kind of file"));
}

TEST_F(StoreTest, RefusesADatabaseOfAnotherProgram) {
  Database(file, Database::Access::kCreate).execute("CREATE TABLE t (x)");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("another program"));
}

TEST_F(StoreTest, RefusesANewerVersion) {
  with_suggestions();
  Database(file, Database::Access::kReadWrite).execute("PRAGMA user_version = 2");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("newer spml"));
}

TEST_F(StoreTest, RefusesAlteredTables) {
  with_suggestions();
  Database(file, Database::Access::kReadWrite).execute("DROP TRIGGER answers_stay");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("tables"));
}

// They could say that no index is of use.
TEST_F(StoreTest, RefusesStatistics) {
  with_suggestions();
  Database(file, Database::Access::kReadWrite).execute("ANALYZE");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("tables"));
  EXPECT_SPML_ERROR(Store::open_read_only(file), HasSubstr("tables"));
}

TEST_F(StoreTest, RefusesADamagedFile) {
  with_suggestions();
  {
    Database database(file, Database::Access::kReadWrite);
    Query(database, "PRAGMA wal_checkpoint(TRUNCATE)").run();
  }
  const auto size = std::filesystem::file_size(file);
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  const std::string noise(2048, '\xaa');
  for (off_t at = 8192; at + 2048 < static_cast<off_t>(size); at += 4096) {
    ASSERT_EQ(::pwrite(fd, noise.data(), noise.size(), at), 2048);
  }
  ::close(fd);
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("damaged"));
}

TEST_F(StoreTest, RefusesATruncatedFile) {
  with_suggestions();
  {
    Database database(file, Database::Access::kReadWrite);
    Query(database, "PRAGMA wal_checkpoint(TRUNCATE)").run();
  }
  std::filesystem::resize_file(file, 8192);
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("damaged"));
}

// Cut to 32 bits, each of these numbers would be one of the review's.
TEST_F(StoreTest, RefusesRowsAndLabelsOfMoreThan32Bits) {
  with_suggestions();
  Database database(file, Database::Access::kReadWrite);
  database.execute("UPDATE suggestions SET row = row + 4294967296 WHERE row = 0");
  EXPECT_SPML_ERROR(Store::open(file)->list({}), HasSubstr("found 4294967296"));
  database.execute("UPDATE suggestions SET label = 4294967297 WHERE row = 1 AND label = 1");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("found 4294967297"));
  EXPECT_SPML_ERROR(Store::open_read_only(file), HasSubstr("found 4294967297"));
}

TEST_F(StoreTest, RefusesASampleOfFewerThanNone) {
  const auto store = with_suggestions();
  store->add_sample({{{10, 0}, 0.9F}}, 300, "ann");
  Database(file, Database::Access::kReadWrite).execute("UPDATE samples SET population = -1");
  EXPECT_SPML_ERROR(store->last_sample(), HasSubstr("found -1"));
}

TEST_F(StoreTest, RefusesASampleThatCannotHaveBeenDrawn) {
  with_suggestions()->add_sample({{{10, 0}, 0.9F}, {{11, 0}, 0.8F}}, 300, "ann");
  Database database(file, Database::Access::kReadWrite);
  database.execute("UPDATE samples SET population = 1");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("a sample of at most 1 entries, found one of 2"));
  database.execute("UPDATE samples SET population = 300");
  database.execute(
      "INSERT INTO sample_entries SELECT sample, 2, row, label FROM sample_entries "
      "WHERE position = 0");
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("the 2 entries of a sample, found 3"));
}

// Their difference would overflow.
TEST_F(StoreTest, RefusesTimesThatCannotBe) {
  with_suggestions()->answer("k1", "ann", {{{0, 0}, State::kYes}});
  for (const char* time : {"-9223372036854775807", "9223372036854775807", "-1"}) {
    Database(file, Database::Access::kReadWrite)
        .execute(
            fmt::format("INSERT INTO answers SELECT NULL, action, 1, 0, 1, score, run, sample, "
                        "reviewer, {} FROM answers LIMIT 1",
                        time));
    const auto store = Store::open(file);
    EXPECT_SPML_ERROR(store->last_answers(), HasSubstr(time));
  }
}

// Undone one by one, n answers to an entry of n runs would take n * n steps.
TEST_F(StoreTest, UndoesNoActionThatAnswersAnEntryTwice) {
  const auto store = with_suggestions();
  store->answer("k1", "ann", {{{0, 0}, State::kYes}});
  Database(file, Database::Access::kReadWrite)
      .execute(
          "INSERT INTO answers SELECT NULL, action, row, label, 2, score, run, sample, "
          "reviewer, time FROM answers");
  EXPECT_SPML_ERROR(store->undo("u1", "ann"), HasSubstr("row 0, label 0: answered twice"));
  EXPECT_EQ(store->last_answers().size(), 1u);
}

TEST_F(StoreTest, DoesNotReplaceAReview) {
  with_suggestions();
  EXPECT_SPML_ERROR(Store::create(file, small_subject()), HasSubstr("exists already"));
}

// A rollback journal as SQLite leaves one when it is stopped, which claims to be part of a
// transaction over several databases that `list` names. SQLite deletes such a list when it is done.
std::string journal_that_names(const Path& list, size_t pages) {
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", name = list.string();
  const auto number = [](size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  constexpr size_t kSector = 512, kPage = 4096, kPending = 0x40000000;
  std::string journal =
      magic + number(0) + number(0) + number(pages) + number(kSector) + number(kPage);
  journal.resize(kSector);
  size_t sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  return journal + number(kPending / kPage + 1) + name + number(name.size()) + number(sum) + magic;
}

TEST_F(StoreTest, AJournalCannotHaveAFileDeleted) {
  Store::create(file, small_subject());
  write_file(folder / "precious", "precious");
  const Path journal = file.string() + "-journal";
  write_file(journal,
             journal_that_names(folder / "precious", std::filesystem::file_size(file) / 4096));
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("review.db-journal: expected no such file"));
  EXPECT_SPML_ERROR(Store::open_read_only(file), HasSubstr("expected no such file"));
  EXPECT_EQ(read_file(folder / "precious"), "precious");
  std::filesystem::remove(journal);
  Store::open(file);
}

TEST_F(StoreTest, KeepsNoJournalThatCouldBeLeftBehind) {
  Store::create(file, small_subject());
  constexpr size_t kVersions = 18;  // of those who may write and read: 2 with a write-ahead log
  EXPECT_EQ(read_file(file).substr(kVersions, 2), "\x02\x02");
}

TEST_F(StoreTest, FollowsNoLinkAndWaitsForNoPipe) {
  Store::create(folder / "other.db", small_subject());
  std::filesystem::create_symlink(folder / "other.db", file);
  EXPECT_SPML_ERROR(Store::open(file), HasSubstr("found a symbolic link"));
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_SPML_ERROR(Store::open_read_only(file), HasSubstr("expected a regular file"));
}

TEST_F(StoreTest, WritesToNoFileThatHasAnotherName) {
  Store::create(file, small_subject());
  for (const char* end : {"-wal", "-shm", ""}) {
    const Path precious = folder / "precious", name = file.string() + end;
    write_file(precious, *end == '\0' ? read_file(file) : "precious");
    const std::string before = read_file(precious);
    std::filesystem::remove(name);
    std::filesystem::create_hard_link(precious, name);
    EXPECT_SPML_ERROR(Store::open(file), HasSubstr("expected a file of one name, found one of 2"));
    EXPECT_SPML_ERROR(Store::open_read_only(file), HasSubstr("expected a file of one name"));
    EXPECT_EQ(read_file(precious), before);
    std::filesystem::remove(name);
  }
}

}  // namespace
}  // namespace spml::review
