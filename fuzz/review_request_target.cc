// Requests to the server of a review, as its handler gets them: a line "METHOD TARGET", lines
// "Name: value", an empty line, a body. Headers that are not given are those of the page, so that
// mutations get past the guard.
#include <nlohmann/json.hpp>

#include "base/folders.h"
#include "data/synth.h"
#include "memory_file.h"
#include "review/http/api.h"
#include "run/run.h"
#include "sections.h"
#include "targets.h"

namespace spml {
namespace {

using review::Request, review::Response;

const std::string kKey(32, '0');

// A small review, which the requests change; made anew from time to time, since answers only grow.
class SmallReview {
 public:
  SmallReview() {
    SynthOptions options;
    options.rows = 30;
    options.labels = 3;
    options.features = 4;
    const Path data = folder_.path() / "data";
    make_folder(data);
    write_synthetic(data, options);
    TrainConfig config;
    config.loss = "an";
    config.epochs = 1;
    RunOptions run;
    run.out = folder_.path() / "run";
    run_training(open_dataset(data), config, run);
    review::ReviewOptions review;
    review.data = data;
    review.run = run.out;
    review.out = folder_.path() / "review";
    review_ = std::make_unique<review::Review>(review);
    api_ = std::make_unique<review::Api>(*review_);
  }
  Response answer(const Request& request) { return review::serve(guard_, *api_, request); }

 private:
  FuzzFolder folder_;
  std::unique_ptr<review::Review> review_;
  std::unique_ptr<review::Api> api_;
  review::Guard guard_{kKey, false};
};

std::string_view take_until(std::string_view& text, std::string_view end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return taken;
}

Request read_request(std::string_view text) {
  Request request;
  request.host = "localhost:8000";
  request.origin = "http://localhost:8000";
  request.key = kKey;
  request.content_type = "application/json";
  request.fetch_site = "same-origin";
  std::string_view first = take_until(text, "\n");
  request.method = take_until(first, " ");
  set_target(first, request);
  while (!text.empty()) {
    std::string_view line = take_until(text, "\n");
    if (line.empty()) break;
    const std::string_view name = take_until(line, ": ");
    if (name == "Host") request.host = line;
    if (name == "Origin") request.origin = line;
    if (name == "Spml-Key") request.key = line;
    if (name == "Content-Type") request.content_type = line;
    if (name == "Sec-Fetch-Site") request.fetch_site = line;
  }
  request.body = text;
  return request;
}

}  // namespace

bool fuzz_review_request(std::span<const std::byte> bytes) {
  constexpr size_t kInputsPerReview = 20'000;
  static std::unique_ptr<SmallReview> review;
  static size_t inputs = 0;
  if (inputs++ % kInputsPerReview == 0) review = std::make_unique<SmallReview>();
  const Request request = read_request(as_text(bytes));
  // Reads nothing and takes long; fills the disk.
  if (request.path == "/api/retrain" || request.path == "/api/export") return false;
  Response response;
  if (!accepts([&] { response = review->answer(request); })) return false;
  if (response.status == 200 && response.type == "application/json" &&
      !nlohmann::json::accept(response.body)) {
    ::abort();
  }
  return response.status < 400;
}

}  // namespace spml
