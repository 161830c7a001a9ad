// The requests of the page: paths and JSON. docs/review.md lists them.
#pragma once

#include <mutex>

#include "review/http/guard.h"
#include "review/http/http.h"
#include "review/review.h"

namespace spml::review {

// Answers requests that the guard let through. Safe to use from several threads.
class Api {
 public:
  explicit Api(Review& review) : review_(review) {}

  Response handle(const Request& request);

 private:
  Response get(const Request& request);
  Response post(const Request& request);

  Response overview();
  Response entries(const Request& request);
  Response why(const Request& request);
  Response progress();
  Response image(const Request& request);
  Response table(const Request& request);
  Response answer(const Request& request);
  Response undo(const Request& request);
  Response sample(const Request& request);
  Response retrain();
  Response export_labels(const Request& request);

  Review& review_;
  std::mutex exporting_;  // one at a time
};

// Requests that may take long: pictures, neighbours, exports.
bool is_slow(const Request& request);

// Everything together: guard, page, API.
Response serve(const Guard& guard, Api& api, const Request& request);

}  // namespace spml::review
