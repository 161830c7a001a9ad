// The review's records as JSON, for the page.
#pragma once

#include <nlohmann/json.hpp>

#include "review/http/http.h"
#include "review/review.h"
#include "review/review_progress.h"

namespace spml::review {

using Json = nlohmann::ordered_json;

Response json_response(const Json& value);

Json to_json(const std::vector<NewAnswer>& states);
Json to_json(const ReviewRun& run);
Json to_json(const RetrainStatus& status);
Json to_json(const ReviewSample& sample);
Json to_json(const Progress& progress);
Json to_json(const std::vector<Listed>& entries, const Pictures& pictures);

}  // namespace spml::review
