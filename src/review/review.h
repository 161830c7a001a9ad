// A review: the data, the answers so far, the classifier behind the suggestions.
#pragma once

#include <memory>
#include <random>
#include <string>

#include "review/bounds.h"
#include "review/pictures.h"
#include "review/rank/neighbours.h"
#include "review/rank/refresh.h"
#include "review/rank/retrain.h"
#include "review/store/answer_log.h"
#include "review/store/review_folder.h"

namespace spml::review {

struct ReviewOptions {
  Path data;  // may be left out for a review that exists
  Path run;   // likewise
  Path out;   // the review's folder
  std::string reviewer = "reviewer";
  Path log;  // "": none
  int threads = 1;
  size_t limit = 200'000;  // suggestions to keep
  MakeThumbnail make_thumbnail;
  std::function<bool()> stop_requested = {};  // interrupts rankings
};

struct ReviewSample {
  SampleRecord record;
  std::optional<StoppingBound> bound;  // once every entry of the sample is answered
};

class Review {
 public:
  // Creates the review or continues it. Error when the folder is in use or holds something else,
  // and when the data is not the data the review was begun with.
  explicit Review(const ReviewOptions& options);
  Review(const Review&) = delete;
  Review& operator=(const Review&) = delete;

  const ReviewOptions& options() const { return options_; }
  Store& store() { return *store_; }
  Pictures& pictures() { return *pictures_; }
  const Neighbours& neighbours() const { return *neighbours_; }
  const LabelMatrix& observed() const { return observed_; }
  // Paths outside the review that its files refer to, for the user to know.
  std::vector<std::string> notices() const;
  bool resumed() const { return resumed_; }

  // Like Store::answer. An unlabelled entry may be answered even if a new list of suggestions,
  // which arrived while it was on the screen, no longer has it.
  ActionResult answer(const std::string& key, const std::vector<NewAnswer>& answers,
                      std::optional<int64_t> sample = {});

  bool retrain();                                            // false when one is under way
  int64_t ranking() const { return refresher_->version(); }  // changes when scores do
  RetrainStatus retrain_status() const { return retrainer_->status(); }
  void stop_retraining() { retrainer_->stop(); }
  // Why answers are missing from the --log at the moment, or ""; tries to add them.
  std::string log_problem() { return log_ ? log_->problem() : ""; }

  // Draws and fixes a sample of `size` open entries; its number, or nothing if none is open.
  std::optional<int64_t> draw_sample(size_t size);
  std::optional<ReviewSample> last_sample();

 private:
  void open_new();
  void open_existing();
  void open_data();
  void open_ranker();
  void start_new(const Path& run);
  Path run_folder(const ReviewRun& run) const;

  ReviewOptions options_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<Store> store_;
  bool resumed_ = false;
  Dataset data_;
  LabelMatrix observed_;  // as given, before the answers
  std::unique_ptr<Pictures> pictures_;
  std::unique_ptr<Neighbours> neighbours_;
  std::mutex mutex_;  // guards the two below
  std::shared_ptr<Scorer> scorer_;
  std::mt19937_64 random_{std::random_device{}()};
  std::unique_ptr<AnswerLog> log_;
  std::unique_ptr<Ranker> ranker_;  // where the data allows it
  std::unique_ptr<Refresher> refresher_;
  std::unique_ptr<Retrainer> retrainer_;  // last: it uses the others from its own thread
};

}  // namespace spml::review
