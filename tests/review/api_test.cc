#include "review/http/api.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "toy_review.h"

namespace spml::review {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

struct ApiTest : testing::Test {
  ToyReview toy;
  std::unique_ptr<Review> review = toy.open();
  Api api{*review};

  Response get(const std::string& target) {
    Request request;
    request.method = "GET";
    set_target(target, request);
    return api.handle(request);
  }
  Json json(const std::string& target) {
    const Response response = get(target);
    EXPECT_EQ(response.status, 200) << target << ": " << response.body;
    return Json::parse(response.body);
  }
  Response post(const std::string& path, const Json& body) { return post_text(path, body.dump()); }
  Response post_text(const std::string& path, const std::string& body) {
    Request request;
    request.method = "POST";
    request.path = path;
    request.body = body;
    return api.handle(request);
  }
  Json first_entry() { return json("/api/entries?limit=1")["entries"][0]; }
  Json answer_body(const Json& entry, const char* answer, const char* key) {
    return {{"action", key},
            {"answers", {{{"row", entry["row"]}, {"label", entry["label"]}, {"answer", answer}}}}};
  }
};

TEST_F(ApiTest, DescribesTheReview) {
  const Json info = json("/api/review");
  EXPECT_EQ(info["classes"].size(), ToyReview::kLabels);
  EXPECT_EQ(info["counts"].size(), ToyReview::kLabels);
  EXPECT_EQ(info["images"], false);
  EXPECT_EQ(info["reviewer"], "ann");
  EXPECT_TRUE(info["sample"].is_null());
}

TEST_F(ApiTest, PagesThroughEntries) {
  std::set<std::pair<int, int>> seen;
  size_t listed = 0;
  std::string target = "/api/entries?sort=uncertainty&state=all&limit=50";
  for (std::string after;;) {
    const Json page = json(target + after);
    listed += page["entries"].size();
    for (const Json& entry : page["entries"]) seen.emplace(entry["row"], entry["label"]);
    if (page["next"].is_null()) break;
    after = "&after=" + page["next"].get<std::string>();
  }
  EXPECT_EQ(listed, seen.size());
  EXPECT_EQ(static_cast<double>(listed), json("/api/review")["run"]["unknown"].get<double>());
}

TEST_F(ApiTest, CallsRowsWithoutImagesByTheirNumbers) {
  const Json entry = first_entry();
  EXPECT_EQ(entry["name"], fmt::format("row {}", entry["row"].get<int>()));
}

TEST_F(ApiTest, SavesAnAnswerAndTakesItBack) {
  const Json entry = first_entry();
  const Response saved = post("/api/answers", answer_body(entry, "yes", "k1"));
  EXPECT_EQ(saved.status, 200);
  EXPECT_EQ(Json::parse(saved.body)["saved"], true);
  EXPECT_EQ(json("/api/entries?state=yes")["entries"].size(), 1u);
  EXPECT_NE(first_entry(), entry);
  const Json undone = Json::parse(post("/api/undo", {{"action", "u1"}}).body);
  EXPECT_EQ(undone["undone"], true);
  EXPECT_EQ(undone["entries"][0]["row"], entry["row"]);
  EXPECT_EQ(first_entry(), entry);
  EXPECT_EQ(Json::parse(post("/api/undo", {{"action", "u2"}}).body)["undone"], false);
}

TEST_F(ApiTest, RefusesBadRequestsAndSavesNothing) {
  const Json entry = first_entry();
  EXPECT_EQ(post_text("/api/answers", "nonsense").status, 400);
  EXPECT_EQ(post_text("/api/answers", "[]").status, 400);
  EXPECT_EQ(post_text("/api/answers", "{\"action\": \"a\", \"action\": \"b\"}").status, 400);
  EXPECT_EQ(post("/api/answers", {{"action", "a"}}).status, 400);
  EXPECT_EQ(post("/api/answers", answer_body(entry, "maybe", "a")).status, 400);
  EXPECT_EQ(post("/api/answers", answer_body(entry, "open", "a")).status, 400);
  EXPECT_EQ(post("/api/answers", answer_body(entry, "yes", "")).status, 400);
  Json wrong = answer_body(entry, "yes", "a");
  wrong["answers"][0]["row"] = -1;
  EXPECT_EQ(post("/api/answers", wrong).status, 400);
  wrong["answers"][0]["row"] = 99999;
  EXPECT_EQ(post("/api/answers", wrong).status, 409);
  wrong = answer_body(entry, "yes", "a");
  wrong["admin"] = true;
  EXPECT_EQ(post("/api/answers", wrong).status, 400);
  EXPECT_EQ(post("/api/sample", {{"size", 0}}).status, 400);
  EXPECT_EQ(post("/api/sample", {{"size", 1e300}}).status, 400);
  EXPECT_EQ(post("/api/elsewhere", Json::object()).status, 404);
  for (const char* target :
       {"/api/entries?label=99", "/api/entries?label=x", "/api/entries?state=odd",
        "/api/entries?sort=odd", "/api/entries?min=nan", "/api/entries?after=1,2",
        "/api/entries?sort=random&after=1e300,0,0", "/api/entries?sort=random&after=-1e17,0,0",
        "/api/entries?limit=-1", "/api/why?row=-1&label=0", "/api/why?row=0&label=6", "/api/why",
        "/image/x", "/image/0?side=7", "/image/", "/api/table?format=exe"}) {
    EXPECT_EQ(get(target).status, 400) << target;
  }
  EXPECT_EQ(review->store().answer_count(), 0);
}

TEST_F(ApiTest, ServesNoFilesOfTheMachine) {
  for (const char* target :
       {"/../../../../etc/passwd", "/image/../../etc/passwd", "/image/..%2f..%2fetc%2fpasswd",
        "//etc/passwd", "/review.db", "/session.json", "/%2e%2e/review.db", "/./index.html", "",
        "?side=1", "index.html"}) {
    const Response response = get(target);
    EXPECT_TRUE(response.status == 404 || response.status == 400) << target;
    EXPECT_THAT(response.body, testing::Not(HasSubstr("root:")));
  }
  EXPECT_EQ(get("/").status, 200);
  EXPECT_THAT(get("/").type, HasSubstr("text/html"));
  EXPECT_EQ(get("/image/0?side=320").status, 404);  // this data has no images
}

TEST_F(ApiTest, SaysWhy) {
  const Json entry = first_entry();
  const Json why = json(
      fmt::format("/api/why?row={}&label={}", entry["row"].get<int>(), entry["label"].get<int>()));
  EXPECT_GT(why["neighbours"].size(), 0u);
  EXPECT_EQ(why["known"].size(), 1u);  // single positive
}

TEST_F(ApiTest, MeasuresProgressWithoutRandomSamples) {
  const Json page = json("/api/entries?limit=10")["entries"];
  for (size_t i = 0; i < 10; ++i) {
    post("/api/answers", answer_body(page[i], i < 7 ? "yes" : "no", fmt::format("k{}", i).c_str()));
  }
  const Json sample = Json::parse(post("/api/sample", {{"size", 5}}).body)["sample"];
  const Json drawn =
      json(fmt::format("/api/entries?sample={}", sample["id"].get<int>()))["entries"];
  EXPECT_EQ(drawn.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    Json body = answer_body(drawn[i], "no", fmt::format("s{}", i).c_str());
    body["sample"] = sample["id"];
    EXPECT_EQ(post("/api/answers", body).status, 200);
  }
  const Json progress = json("/api/progress");
  EXPECT_EQ(progress["all"]["yes"], 7);
  EXPECT_EQ(progress["all"]["no"], 3);
  EXPECT_NEAR(progress["all"]["low"].get<double>(), 0.3475, 1e-4);
  EXPECT_NEAR(progress["all"]["high"].get<double>(), 0.9333, 1e-4);
  EXPECT_EQ(progress["found"].back(), Json({10, 7}));
  EXPECT_FALSE(json("/api/review")["sample"]["missing_at_most"].is_null());
}

TEST_F(ApiTest, GivesTheAnswersAsATable) {
  const Json entry = first_entry();
  post("/api/answers", answer_body(entry, "no", "k"));
  const Response csv = get("/api/table?format=csv");
  const int row = entry["row"];
  EXPECT_THAT(csv.body, HasSubstr(fmt::format(
                            "image,class,answer,label,not,score,reviewer,time\n{},class_", row)));
  EXPECT_THAT(csv.body, HasSubstr(",no,"));
  EXPECT_EQ(Json::parse(get("/api/table?format=jsonl").body)["answer"], "no");
}

}  // namespace
}  // namespace spml::review
