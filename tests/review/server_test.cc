// Every attack of the list, through real sockets.
#include "review/http/server.h"

#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <thread>

#include "raw_client.h"
#include "review/http/guard.h"
#include "testing.h"

namespace spml::review {
namespace {

using testing::HasSubstr;
using testing::Not;

const Secrets kSecrets{"0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", 0};

struct ServerTest : testing::Test {
  Guard guard{kSecrets, false};
  std::unique_ptr<Server> server;

  void SetUp() override { start({}); }
  void start(ServerOptions options) {
    server = std::make_unique<Server>(options, [this](const Request& request) {
      if (auto refusal = guard.check(request)) return *std::move(refusal);
      return plain(200, "passed " + request.path + " " + request.body);
    });
    guard.set_port(server->port());
  }
  std::string host() const { return fmt::format("127.0.0.1:{}", server->port()); }
  std::string cookie() const {
    return fmt::format("Cookie: spml_review_{}={}\r\n", server->port(), kSecrets.cookie);
  }
  std::string post_headers() const {
    return cookie() + "Content-Type: application/json\r\nOrigin: http://" + host() + "\r\n";
  }
  RawAnswer get(const std::string& target, const std::string& headers) {
    return ask(server->port(), request_text("GET", target, host(), headers));
  }
  RawAnswer post(const std::string& headers, const std::string& body = "{}") {
    return ask(server->port(), request_text("POST", "/api/x", host(), headers, body));
  }
};

TEST_F(ServerTest, ExchangesTheTokenForACookieThatScriptsCannotRead) {
  const RawAnswer answer = get("/?token=" + kSecrets.token, "");
  EXPECT_EQ(answer.status, 303);
  EXPECT_THAT(answer.head, HasSubstr(kSecrets.cookie));
  EXPECT_THAT(answer.head, HasSubstr("HttpOnly"));
  EXPECT_THAT(answer.head, HasSubstr("SameSite=Strict"));
  EXPECT_EQ(get("/", cookie()).status, 200);
}

TEST_F(ServerTest, RefusesWithoutTokenAndWithAWrongOne) {
  EXPECT_EQ(get("/", "").status, 401);
  EXPECT_EQ(get("/api/review", "").status, 401);
  EXPECT_EQ(get("/?token=", "").status, 403);
  EXPECT_EQ(get("/?token=0123456789abcdef0123456789abcdee", "").status, 403);
  EXPECT_EQ(get("/api/review?token=" + kSecrets.token, "").status, 401);
  const std::string wrong =
      fmt::format("Cookie: spml_review_{}={}\r\n", server->port(), kSecrets.token);
  EXPECT_EQ(get("/", wrong).status, 401);
  const std::string prefix = fmt::format("Cookie: spml_review_{}=f\r\n", server->port());
  EXPECT_EQ(get("/", prefix).status, 401);
}

TEST_F(ServerTest, RefusesAForeignHostEvenWithTheCookie) {
  for (const std::string foreign :
       {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "",
        "[::2]", "128.0.0.1", "0.0.0.0"}) {
    const RawAnswer answer = ask(server->port(), request_text("GET", "/", foreign, cookie()));
    EXPECT_EQ(answer.status, 403) << foreign;
    EXPECT_THAT(answer.body, Not(HasSubstr("passed")));
  }
  for (const std::string own :
       {"localhost", "LOCALHOST:99", "127.0.0.1", "127.3.2.1:5", "[::1]:7"}) {
    EXPECT_EQ(ask(server->port(), request_text("GET", "/", own, cookie())).status, 200) << own;
  }
}

TEST_F(ServerTest, PostNeedsTheSameOriginAndJson) {
  EXPECT_EQ(post(post_headers()).status, 200);
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(post(cookie() + json).status, 403);
  EXPECT_EQ(post(cookie() + json + "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(post(cookie() + json + "Origin: null\r\n").status, 403);
  EXPECT_EQ(post(cookie() + json + "Origin: https://" + host() + "\r\n").status, 403);
  EXPECT_EQ(post(cookie() + json + "Origin: http://127.0.0.1:1\r\n").status, 403);
  EXPECT_EQ(post(cookie() + "Origin: http://" + host() + "\r\n").status, 415);
  EXPECT_EQ(post(cookie() + "Content-Type: text/plain\r\nOrigin: http://" + host() + "\r\n").status,
            415);
  EXPECT_EQ(
      post(cookie() + "Content-Type: application/json-evil\r\nOrigin: http://" + host() + "\r\n")
          .status,
      415);
  EXPECT_EQ(post(post_headers() + "Sec-Fetch-Site: cross-site\r\n").status, 403);
}

TEST_F(ServerTest, RefusesOtherMethods) {
  for (const std::string method : {"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH"}) {
    EXPECT_EQ(ask(server->port(), request_text(method, "/", host(), cookie())).status, 405);
  }
}

TEST_F(ServerTest, SendsTheHeadersThatKeepOthersOutAndNoneThatLetThemIn) {
  for (const RawAnswer& answer : {get("/", cookie()), get("/", "")}) {
    EXPECT_THAT(answer.head, HasSubstr("Content-Security-Policy: default-src 'self'"));
    EXPECT_THAT(answer.head, HasSubstr("X-Frame-Options: DENY"));
    EXPECT_THAT(answer.head, HasSubstr("X-Content-Type-Options: nosniff"));
    EXPECT_THAT(answer.head, HasSubstr("Referrer-Policy: no-referrer"));
    EXPECT_THAT(answer.head, HasSubstr("Cache-Control: no-store"));
    EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(ServerTest, RefusesALongHeader) {
  EXPECT_EQ(get("/", cookie() + "X: " + std::string(9000, 'a') + "\r\n").status, 431);
  EXPECT_EQ(get("/" + std::string(9000, 'a'), cookie()).status, 431);
  EXPECT_EQ(get("/", cookie() + "X: " + std::string(6000, 'a') + "\r\n").status, 200);
}

TEST_F(ServerTest, RefusesALongBodyAlsoInChunks) {
  EXPECT_EQ(post(post_headers(), std::string(65 * 1024, 'a')).status, 413);
  EXPECT_EQ(post(post_headers(), std::string(60 * 1024, 'a')).status, 200);
  std::string chunks =
      fmt::format("POST / HTTP/1.1\r\nHost: {}\r\n{}Transfer-Encoding: chunked\r\n\r\n", host(),
                  post_headers());
  for (int i = 0; i < 40; ++i) chunks += "1000\r\n" + std::string(0x1000, 'b') + "\r\n";
  EXPECT_EQ(ask(server->port(), chunks + "0\r\n\r\n").status, 413);
}

TEST_F(ServerTest, AnswersNonsenseWithARefusal) {
  for (const std::string nonsense :
       {"\x16\x03\x01\x02\x00\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    EXPECT_EQ(ask(server->port(), nonsense).status, 400) << nonsense;
  }
  EXPECT_EQ(get("/", cookie()).status, 200);
}

TEST_F(ServerTest, DropsASlowClientAndServesOthersMeanwhile) {
  ServerOptions options;
  options.read_time = std::chrono::milliseconds(2000);
  start(options);
  const RawClient slow(server->port());
  slow.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");  // never the empty line
  EXPECT_EQ(get("/", cookie()).status, 200);
  EXPECT_EQ(slow.read_all(), "");  // returns because the server closes
}

TEST_F(ServerTest, TakesNoMoreConnectionsThanItShould) {
  ServerOptions options;
  options.max_connections = 8;
  start(options);
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 8; ++i) held.push_back(std::make_unique<RawClient>(server->port()));
  // The ninth is closed without an answer, once the eight are in.
  RawAnswer answer;
  for (int tries = 0; tries < 100; ++tries) {
    answer = get("/", cookie());
    if (answer.status == 0) break;
  }
  EXPECT_EQ(answer.status, 0);
  held.clear();
  for (int tries = 0; tries < 1000 && answer.status != 200; ++tries) answer = get("/", cookie());
  EXPECT_EQ(answer.status, 200);
}

TEST_F(ServerTest, GoesOnWhenDescriptorsAreThereAgain) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "UBSan itself opens pipes to look at objects";
#endif
  rlimit before;
  ::getrlimit(RLIMIT_NOFILE, &before);
  const RawClient early(server->port(), [&] {
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  });
  early.send(request_text("GET", "/", host(), cookie()));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(early.read_all(), HasSubstr("200 OK"));
}

// Such a header is more than Beast has room for; it throws when the answer is put together.
TEST(Server, GoesOnAfterAnAnswerThatCannotBeSent) {
  const Server server({}, [](const Request& request) {
    Response response = plain(200, "sent");
    if (request.path == "/long") response.headers.emplace_back("X", std::string(70'000, 'x'));
    return response;
  });
  for (int i = 0; i < 8; ++i) {  // more than it has threads
    EXPECT_EQ(ask(server.port(), request_text("GET", "/long", "localhost")).status, 0);
  }
  EXPECT_EQ(ask(server.port(), request_text("GET", "/", "localhost")).status, 200);
}

TEST_F(ServerTest, DoesNotInterpretDotsInAPath) {
  EXPECT_THAT(get("/image/../../etc/passwd", cookie()).body,
              HasSubstr("passed /image/../../etc/passwd"));
}

TEST(Guard, ComparesWholeSecrets) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(Guard, AllowsAddressesButNoNamesWhenRemoteIsAllowed) {
  Guard guard(kSecrets, true);
  Request request;
  request.method = "GET";
  request.path = "/";
  request.query["token"] = kSecrets.token;
  request.host = "192.0.2.1:80";
  EXPECT_EQ(guard.check(request)->status, 303);
  request.host = "evil.example";
  EXPECT_EQ(guard.check(request)->status, 403);
}

TEST(Guard, KeepsSecretsInAFileForTheUserAlone) {
  TemporaryFolder folder;
  const Path file = folder / "session.json";
  const Secrets made = load_secrets(file);
  EXPECT_EQ(made.token.size(), 32u);
  EXPECT_NE(made.token, load_secrets(file).token);
  save_secrets(file, made);
  EXPECT_EQ(load_secrets(file).token, made.token);
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
  write_private(file, "{\"token\": \"short\", \"cookie\": 3}");
  EXPECT_EQ(load_secrets(file).token.size(), 32u);
}

// Whoever made the folder would know them.
TEST(Guard, TakesNoSecretsThatCameWithTheFolder) {
  TemporaryFolder folder, other;
  const Path file = folder / "session.json", copy = other / "session.json";
  const Secrets made = load_secrets(file);
  save_secrets(file, made);
  write_private(copy, read_file(file));
  EXPECT_NE(load_secrets(copy).token, made.token);
  write_private(
      copy, fmt::format(R"({{"token":"{}","cookie":"{}","port":80}})", made.token, made.cookie));
  EXPECT_NE(load_secrets(copy).cookie, made.cookie);
  EXPECT_EQ(load_secrets(copy).port, 0);
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  EXPECT_NE(load_secrets(file).token, made.token);
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_EQ(load_secrets(file).token, made.token);
  std::filesystem::rename(file, folder / "elsewhere.json");
  std::filesystem::create_symlink(folder / "elsewhere.json", file);
  EXPECT_NE(load_secrets(file).token, made.token);
}

TEST(Http, ReadsTheTarget) {
  Request request;
  set_target("/a/b?x=1%202&y&z=%zz&w=a+b", request);
  EXPECT_EQ(request.path, "/a/b");
  EXPECT_EQ(request.value("x"), "1 2");
  EXPECT_EQ(request.value("y"), "");
  EXPECT_EQ(request.value("z"), "%zz");
  EXPECT_EQ(request.value("w"), "a b");
}

}  // namespace
}  // namespace spml::review
