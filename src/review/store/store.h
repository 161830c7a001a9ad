// The state of a review in one SQLite file, REVIEW/review.db: suggestions, answers, random samples
// and runs. Answers are only ever added; the state of an entry follows from its last answer.
// Safe to use from several threads.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "review/store/entry.h"
#include "review/store/sqlite.h"

namespace spml::review {

// What the review is about; fixed when it is created.
struct Subject {
  std::string id;           // 32 random hex digits, so that pages tell reviews apart
  std::string data;         // the data folder, absolute
  std::string fingerprint;  // of the data
  std::string name;         // of the data set
  size_t rows = 0;          // N of the training file
  std::vector<std::string> classes;
};

enum class RunState { kGiven, kTraining, kDone, kStopped };
std::string_view to_string(RunState state);

struct ReviewRun {
  int64_t id = 0;
  std::string folder;  // absolute, or relative to REVIEW for retrained ones
  RunState state = RunState::kGiven;
  int64_t answers = 0;  // it was trained with
  int64_t time = 0;     // ms since 1970
  // The number of unlabelled entries, and how many of them the run expects to be positive.
  std::optional<double> unknown = {}, expected = {};
  // In percent, if there was anything to measure on.
  std::optional<double> val_map = {}, test_map = {};
};

enum class Sort { kScore, kUncertainty, kRandom };

// Which suggestions, in which order; `after` is the last one already known.
struct Listing {
  std::optional<State> state;
  std::optional<int32_t> label;
  double min_score = 0, max_score = 1;
  Sort sort = Sort::kScore;
  size_t limit = 24;
  struct Place {
    double key = 0;  // score, uncertainty or lot
    Entry entry;
  };
  std::optional<Place> after;
};

struct Listed {
  Entry entry;
  double score = 0;
  State state = State::kOpen;
  double key = 0;  // of the order asked for
};

// One answer as it was given, for logs and exports.
struct AnswerRecord {
  int64_t id = 0, action = 0;
  Entry entry;
  State answer = State::kOpen;  // kOpen: an answer taken back
  bool undo = false;
  std::optional<double> score;
  int64_t run = 0;
  std::optional<int64_t> sample;
  std::string reviewer;
  int64_t time = 0;
};

struct NewAnswer {
  Entry entry;
  State answer = State::kOpen;
};

// The effect of a reviewer's action. Sending the same key twice acts once.
struct ActionResult {
  int64_t action = 0;
  bool repeated = false;          // it had already been done
  std::vector<NewAnswer> states;  // of the entries after it
  std::vector<Entry> refused;     // nothing was done: not suggestions, or not in the sample
};

struct SampleRecord {
  int64_t id = 0;
  size_t size = 0;
  uint64_t population = 0;  // open entries when it was drawn
  int64_t last_answer = 0;  // given before it was drawn
  int64_t time = 0;
  std::array<size_t, kStates> counts = {};  // its entries by state now
  size_t found_since = 0;  // labels found by now in entries that were open when it was drawn
};

using Counts = std::array<size_t, kStates>;

class Store {
 public:
  // Creates the file; Error if it exists.
  static std::unique_ptr<Store> create(const Path& file, const Subject& subject);
  // Opens an existing file; Error in one line when it is foreign, damaged or of a newer version.
  static std::unique_ptr<Store> open(const Path& file);
  static std::unique_ptr<Store> open_read_only(const Path& file);

  const Subject& subject() const { return subject_; }

  // Called in order with every answer numbered above `after` once it is on disk. An answer that the
  // listener does not accept (false) is offered again before the next one, or by catch_up().
  using Listener = std::function<bool(const AnswerRecord&)>;
  void on_answer(Listener listener, int64_t after);
  // Whether the listener has accepted every answer so far.
  bool catch_up();

  // Whether the disk was full for the last answer, and none has been saved since.
  bool is_out_of_space();

  int64_t add_run(const ReviewRun& run);
  void update_run(const ReviewRun& run);
  std::vector<ReviewRun> runs();
  std::optional<ReviewRun> current_run();

  // Replaces the suggestions by those of another run, in steps so that answering goes on meanwhile.
  // Entries with an answer and those of samples stay, with the score that `suggestions` gives them.
  // One step updates the run's record and makes the run the current one; then `switched` is called
  // and the rest of the old suggestions is removed. `stop_requested` interrupts: before that step
  // with an Error and nothing changed; after it, the rest is removed next time.
  void replace_suggestions(const ReviewRun& run, const std::vector<Suggestion>& suggestions,
                           const std::function<void()>& switched = {},
                           const std::function<bool()>& stop_requested = {});

  // Sets new scores of the run's open entries, in steps; false if it is no longer the current run.
  bool rescore(int64_t run, const std::vector<Suggestion>& suggestions);

  // Turns entries into suggestions.
  void add_suggestions(const std::vector<Suggestion>& suggestions);

  std::vector<Listed> list(const Listing& listing);
  std::optional<Listed> find(Entry entry);
  std::vector<Counts> counts();       // of suggestions, by label
  std::vector<NewAnswer> answered();  // every entry with an answer, and its last one
  std::vector<Entry> sampled();       // entries of all samples

  // If an entry is not a suggestion or the sample does not exist, they are refused and nothing is
  // done. Otherwise the answers are committed to the file when this returns.
  ActionResult answer(const std::string& key, const std::string& reviewer,
                      const std::vector<NewAnswer>& answers, std::optional<int64_t> sample = {});
  // Undoes the last action that has not been undone; nullopt if there is none.
  std::optional<ActionResult> undo(const std::string& key, const std::string& reviewer);

  // Fixes the entries of a random sample and makes all of them suggestions.
  int64_t add_sample(const std::vector<Suggestion>& entries, uint64_t population,
                     const std::string& reviewer);
  std::optional<SampleRecord> last_sample();
  std::vector<Listed> sample_entries(int64_t sample);

  // In the order given; those after `id`.
  void for_answers(int64_t id, const std::function<void(const AnswerRecord&)>& use);
  // The last answer of every entry that has one, in the order in which they were given.
  std::vector<AnswerRecord> last_answers();
  int64_t answer_count();  // entries with an answer

 private:
  Store(const Path& file, Database::Access access);
  void read_subject();
  void load_counts();
  void check_entry(Entry entry) const;
  int64_t current_run_id();
  void write_run(const ReviewRun& run);
  bool done_before(const std::string& key, ActionResult& result);
  std::vector<Entry> no_suggestions(const std::vector<NewAnswer>& answers,
                                    std::optional<int64_t> sample);
  int64_t add_action(const std::string& key, const std::string& reviewer, int64_t undoes);
  void write_answer(const AnswerRecord& answer);
  bool tell();
  void read_answers(std::string_view sql, int64_t value,
                    const std::function<void(const AnswerRecord&)>& use);
  void insert_suggestion(int64_t run, const Suggestion& suggestion);
  void list_state(const Listing& listing, State state, std::vector<Listed>& out);

  std::mutex mutex_;
  Database database_;
  Subject subject_;
  std::vector<Counts> counts_;
  Listener listener_;
  int64_t heard_ = 0;  // number of the last answer the listener accepted
};

}  // namespace spml::review
