#include "review/http/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/fail.h"
#include "base/folders.h"
#include "formats/json.h"
#include "formats/json_object.h"
#include "review/export/export.h"
#include "review/http/api_json.h"
#include "review/http/page_files.h"

namespace spml::review {
namespace {

constexpr size_t kMaxListed = 200, kMaxAnswers = 200;
constexpr size_t kNeighbours = 6;
constexpr size_t kMaxSample = 5000;
constexpr size_t kMaxKey = 64;                   // characters of an action's key
constexpr double kMaxPlace = double{1LL << 53};  // lots are the largest, and whole numbers
constexpr int kSides[] = {0, 160, 240, 320, 480, 640, 960, 1280};

// A mistake in the request: response 400.
struct BadRequest {
  std::string message;
};

template <class T>
T number_from(const std::string& text, const char* what) {
  T value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    throw BadRequest{fmt::format("expected a number as {}, found '{}'", what, text)};
  }
  return value;
}

double real_from(const std::string& text, const char* what) {
  const auto value = number_from<double>(text, what);
  if (!std::isfinite(value)) throw BadRequest{fmt::format("expected a finite {}", what)};
  return value;
}

// Reads the JSON object in a request's body; any error in it is the sender's.
template <class Read>
auto read_body(const Request& request, const Read& read) {
  try {
    const auto json = parse_json(request.body, "request");
    return read(JsonObject(json, "request"));
  } catch (const Error& error) {
    throw BadRequest{error.what()};
  }
}

State answer_from(const std::string& text) {
  const auto state = state_from(text);
  if (!state || *state == State::kOpen) {
    throw BadRequest{fmt::format("expected yes, no or unsure, found '{}'", text)};
  }
  return *state;
}

std::string key_from(const JsonObject& object) {
  std::string key = object.text("action", "");
  if (key.empty() || key.size() > kMaxKey) {
    throw BadRequest{"expected an action of 1 to 64 characters"};
  }
  return key;
}

struct Action {
  std::string key;
  std::vector<NewAnswer> answers;
  std::optional<int64_t> sample;
};

Action read_action(const JsonObject& object) {
  object.allow_only({"action", "answers", "sample"});
  Action action;
  action.key = key_from(object);
  action.answers = object.list("answers", [](const nlohmann::json& item, const std::string& place) {
    const JsonObject one(item, place);
    one.allow_only({"row", "label", "answer"});
    return NewAnswer{{static_cast<int32_t>(one.count("row", SIZE_MAX, 0, INT32_MAX)),
                      static_cast<int32_t>(one.count("label", SIZE_MAX, 0, INT32_MAX))},
                     answer_from(one.text("answer", ""))};
  });
  std::set<Entry> entries;
  for (const NewAnswer& answer : action.answers) {
    if (!entries.insert(answer.entry).second) fail("expected each entry once in an action");
  }
  if (action.answers.empty() || action.answers.size() > kMaxAnswers) {
    fail("expected 1 to {} answers, found {}", kMaxAnswers, action.answers.size());
  }
  if (object.has("sample") && !object.at("sample").is_null()) {
    action.sample = static_cast<int64_t>(object.count("sample", 0, 1, INT32_MAX));
  }
  return action;
}

Entry entry_from(const Request& request, const Subject& subject) {
  const Entry entry{number_from<int32_t>(request.value("row"), "row"),
                    number_from<int32_t>(request.value("label"), "label")};
  if (entry.row < 0 || static_cast<size_t>(entry.row) >= subject.rows || entry.label < 0 ||
      static_cast<size_t>(entry.label) >= subject.classes.size()) {
    throw BadRequest{fmt::format("no row {} or label {}", entry.row, entry.label)};
  }
  return entry;
}

// "key,row,label" of the last entry of the page before.
Listing::Place place_from(const std::string& text) {
  const size_t first = text.find(','), second = text.find(',', first + 1);
  if (first == std::string::npos || second == std::string::npos) {
    throw BadRequest{"expected a place that was given as next"};
  }
  const double key = real_from(text.substr(0, first), "place");
  if (std::abs(key) > kMaxPlace) throw BadRequest{"expected a place that was given as next"};
  return {key,
          {number_from<int32_t>(text.substr(first + 1, second - first - 1), "place"),
           number_from<int32_t>(text.substr(second + 1), "place")}};
}

std::string place_of(const Listed& listed) {
  return fmt::format("{:.17g},{},{}", listed.key, listed.entry.row, listed.entry.label);
}

Listing listing_from(const Request& request, const Subject& subject) {
  Listing listing;
  if (const std::string state = request.value("state"); state != "all") {
    listing.state = state_from(state.empty() ? "open" : state);
    if (!listing.state) throw BadRequest{"expected a state of open, yes, no, unsure or all"};
  }
  if (const std::string label = request.value("label"); !label.empty()) {
    listing.label = number_from<int32_t>(label, "label");
    if (*listing.label < 0 || static_cast<size_t>(*listing.label) >= subject.classes.size()) {
      throw BadRequest{"no such label"};
    }
  }
  if (request.query.contains("min")) listing.min_score = real_from(request.value("min"), "min");
  if (request.query.contains("max")) listing.max_score = real_from(request.value("max"), "max");
  const std::string sort = request.value("sort");
  if (sort == "uncertainty") {
    listing.sort = Sort::kUncertainty;
  } else if (sort == "random") {
    listing.sort = Sort::kRandom;
  } else if (!sort.empty() && sort != "score") {
    throw BadRequest{"expected a sort of score, uncertainty or random"};
  }
  if (request.query.contains("limit")) {
    listing.limit = std::min(kMaxListed, number_from<size_t>(request.value("limit"), "limit"));
  }
  if (request.query.contains("after")) listing.after = place_from(request.value("after"));
  return listing;
}

std::string type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/plain; charset=utf-8";
}

}  // namespace

Response Api::handle(const Request& request) try {
  return request.method == "POST" ? post(request) : get(request);
} catch (const BadRequest& bad) {
  return plain(400, bad.message);
}

Response Api::get(const Request& request) {
  if (request.path == "/api/review") return overview();
  if (request.path == "/api/entries") return entries(request);
  if (request.path == "/api/why") return why(request);
  if (request.path == "/api/progress") return progress();
  if (request.path == "/api/table") return table(request);
  if (request.path.starts_with("/image/")) return image(request);
  if (!request.path.starts_with('/')) return plain(404, "There is nothing here.");
  const std::string name = request.path == "/" ? "index.html" : request.path.substr(1);
  const std::string_view file = page_file(name);
  if (file.empty()) return plain(404, "There is nothing here.");
  return {200, type_of(name), std::string(file), {}, false};
}

Response Api::post(const Request& request) try {
  if (request.path == "/api/answers") return answer(request);
  if (request.path == "/api/undo") return undo(request);
  if (request.path == "/api/sample") return sample(request);
  if (request.path == "/api/retrain") return retrain();
  if (request.path == "/api/export") return export_labels(request);
  return plain(404, "There is nothing here.");
} catch (const Error& error) {
  // The page keeps the answer, shows it as unsaved, and sends it again.
  return plain(review_.store().is_out_of_space() ? 507 : 503, error.what());
}

Response Api::overview() {
  Store& store = review_.store();
  const Subject& subject = store.subject();
  Json json = {{"id", subject.id},
               {"name", subject.name},
               {"folder", review_.options().out.string()},
               {"rows", subject.rows},
               {"classes", subject.classes},
               {"images", review_.pictures().any()},
               {"reviewer", review_.options().reviewer},
               {"counts", store.counts()},
               {"ranking", review_.ranking()},
               {"run", nullptr},
               {"runs", Json::array()},
               {"retrain", to_json(review_.retrain_status())},
               {"log_problem", review_.log_problem()},
               {"sample", nullptr}};
  if (const auto run = store.current_run()) json["run"] = to_json(*run);
  for (const ReviewRun& run : store.runs()) json["runs"].push_back(to_json(run));
  if (const auto sample = review_.last_sample()) json["sample"] = to_json(*sample);
  return json_response(json);
}

Response Api::entries(const Request& request) {
  Store& store = review_.store();
  if (request.query.contains("sample")) {
    const auto sample = number_from<int64_t>(request.value("sample"), "sample");
    const auto found = store.sample_entries(sample);
    return json_response({{"entries", to_json(found, review_.pictures())}, {"next", nullptr}});
  }
  const Listing listing = listing_from(request, store.subject());
  const auto found = store.list(listing);
  Json json = {{"entries", to_json(found, review_.pictures())}, {"next", nullptr}};
  if (!found.empty() && found.size() == listing.limit) json["next"] = place_of(found.back());
  return json_response(json);
}

Response Api::why(const Request& request) {
  const Entry entry = entry_from(request, review_.store().subject());
  Json json = {{"neighbours", Json::array()}, {"known", Json::array()}};
  for (const Neighbour& neighbour : review_.neighbours().nearest(entry, kNeighbours)) {
    json["neighbours"].push_back(
        {{"row", neighbour.row},
         {"name", review_.pictures().caption(static_cast<size_t>(neighbour.row))},
         {"similarity", neighbour.similarity}});
  }
  std::vector<int8_t> labels(review_.observed().cols());
  review_.observed().read_row(static_cast<size_t>(entry.row), labels);
  for (size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] > 0) json["known"].push_back(j);
  }
  return json_response(json);
}

Response Api::progress() {
  Store& store = review_.store();
  Json json = to_json(measure_progress(store.last_answers(), store.subject().classes.size()));
  return json_response(json);
}

Response Api::image(const Request& request) {
  const auto row = number_from<size_t>(request.path.substr(std::string("/image/").size()), "row");
  const int side =
      request.query.contains("side") ? number_from<int>(request.value("side"), "side") : 0;
  if (std::find(std::begin(kSides), std::end(kSides), side) == std::end(kSides)) {
    throw BadRequest{"expected a side of 0, 160, 240, 320, 480, 640, 960 or 1280"};
  }
  try {
    Picture picture = review_.pictures().get(row, side);
    return {200, std::move(picture.type), std::move(picture.bytes), {}, false};
  } catch (const Error& error) {
    return plain(404, error.what());
  }
}

Response Api::table(const Request& request) {
  const std::string format = request.value("format");
  if (format != "csv" && format != "jsonl") throw BadRequest{"expected csv or jsonl"};
  Response response;
  response.type = format == "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson";
  response.body = answers_header(format) +
                  answers_as_text(review_.store(), format,
                                  [this](size_t row) { return review_.pictures().name(row); });
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"answers.{}\"", format));
  return response;
}

Response Api::answer(const Request& request) {
  const Action action = read_body(request, read_action);
  Store& store = review_.store();
  const ActionResult result = review_.answer(action.key, action.answers, action.sample);
  if (!result.refused.empty()) {
    const Entry first = result.refused.front();
    return plain(409, fmt::format("row {}, label {}: not among the suggestions{}", first.row,
                                  first.label, action.sample ? " of the sample" : ""));
  }
  return json_response({{"saved", true},
                        {"repeated", result.repeated},
                        {"states", to_json(result.states)},
                        {"counts", store.counts()}});
}

Response Api::undo(const Request& request) {
  const std::string key = read_body(request, [](const JsonObject& object) {
    object.allow_only({"action"});
    return key_from(object);
  });
  Store& store = review_.store();
  const auto result = store.undo(key, review_.options().reviewer);
  Json answer = {{"undone", result.has_value()}, {"entries", Json::array()}};
  if (result) {
    std::vector<Listed> entries;
    for (const auto& [entry, state] : result->states) {
      if (const auto listed = store.find(entry)) entries.push_back(*listed);
    }
    answer["entries"] = to_json(entries, review_.pictures());
  }
  answer["counts"] = store.counts();
  return json_response(answer);
}

Response Api::sample(const Request& request) {
  const auto sample = review_.draw_sample(read_body(request, [](const JsonObject& object) {
    object.allow_only({"size"});
    return object.count("size", 200, 1, kMaxSample);
  }));
  if (!sample) return plain(409, "every entry has an answer: there is nothing left to draw");
  return overview();
}

Response Api::retrain() {
  const bool started = review_.retrain();
  return json_response({{"started", started}, {"retrain", to_json(review_.retrain_status())}});
}

// Into REVIEW/exports, under an unused name: the page cannot choose where the program writes.
Response Api::export_labels(const Request& request) {
  ExportOptions options;
  options.format = read_body(request, [](const JsonObject& object) {
    object.allow_only({"format"});
    return object.text("format", "");
  });
  const auto& formats = export_formats();
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    throw BadRequest{fmt::format("expected a format of {}", fmt::join(formats, ", "))};
  }
  const std::lock_guard lock(exporting_);
  options.review = review_.options().out;
  const Path folder = options.review / "exports";
  make_folder_inside(folder);
  for (int n = 1; options.out.empty() || path_exists(options.out); ++n) {
    options.out = folder / fmt::format("{}-{}{}", options.format, n, export_ending(options.format));
  }
  const ExportReport report = export_review(options);
  return json_response({{"out", absolute_path(options.out).string()},
                        {"yes", report.yes},
                        {"no", report.no},
                        {"unsure", report.unsure},
                        {"notices", report.notices}});
}

bool is_slow(const Request& request) {
  return request.path.starts_with("/image/") || request.path == "/api/why" ||
         request.path == "/api/export" || request.path == "/api/table";
}

Response serve(const Guard& guard, Api& api, const Request& request) {
  auto refusal = guard.check(request);
  Response response = refusal ? *std::move(refusal) : api.handle(request);
  response.has_key = guard.has_key(request);
  return response;
}

}  // namespace spml::review
