// Every attack of the list, through real sockets.
#include "review/http/server.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>

#include "raw_client.h"
#include "review/http/guard.h"
#include "testing.h"

namespace spml::review {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kKey = "0123456789abcdef0123456789abcdef";

struct ServerTest : testing::Test {
  Guard guard{kKey, false};
  std::unique_ptr<Server> server;

  void SetUp() override { start({}); }
  void start(ServerOptions options) {
    server = std::make_unique<Server>(options, [this](const Request& request) {
      if (auto refusal = guard.check(request)) return *std::move(refusal);
      Response response = plain(200, "passed " + request.path + " " + request.body);
      response.has_key = guard.has_key(request);
      return response;
    });
  }
  std::string host() const { return fmt::format("127.0.0.1:{}", server->port()); }
  static std::string key() { return "Spml-Key: " + kKey + "\r\n"; }
  std::string post_headers() const {
    return key() + "Content-Type: application/json\r\nOrigin: http://" + host() + "\r\n";
  }
  RawAnswer get(const std::string& target, const std::string& headers) {
    return ask(server->port(), request_text("GET", target, host(), headers));
  }
  RawAnswer post(const std::string& headers, const std::string& body = "{}") {
    return ask(server->port(), request_text("POST", "/api/x", host(), headers, body));
  }
};

TEST_F(ServerTest, ThePageIsForEverybodyAndTheReviewForWhoHasTheKey) {
  EXPECT_EQ(get("/", "").status, 200);
  EXPECT_EQ(get("/app.js", "Sec-Fetch-Site: cross-site\r\n").status, 200);  // as from a file
  for (const char* path : {"/api/review", "/api/entries?limit=3", "/image/0?side=160"}) {
    EXPECT_EQ(get(path, key()).status, 200) << path;
    EXPECT_EQ(get(path, "").status, 401) << path;
    EXPECT_EQ(get(path, "Spml-Key: \r\n").status, 401);
    EXPECT_EQ(get(path, "Spml-Key: 0123456789abcdef0123456789abcdee\r\n").status, 401);
    EXPECT_EQ(get(path, "Spml-Key: 0\r\n").status, 401);
    EXPECT_EQ(get(path, "Cookie: Spml-Key=" + kKey + "\r\n").status, 401);
    EXPECT_EQ(get(path, key() + "Sec-Fetch-Site: cross-site\r\n").status, 403);
    EXPECT_EQ(get(path, key() + "Sec-Fetch-Site: same-site\r\n").status, 403);
  }
  EXPECT_EQ(get("/api/review?key=" + kKey, "").status, 401);
  EXPECT_THAT(get("/", key()).head, Not(HasSubstr("Set-Cookie")));
}

TEST_F(ServerTest, RefusesAHeaderThatIsThereTwice) {
  for (const std::string& twice :
       {std::string("Host: evil.example\r\n"), "Host: " + host() + "\r\n", key()}) {
    EXPECT_EQ(get("/api/review", key() + twice).status, 400) << twice;
  }
}

TEST_F(ServerTest, RefusesAForeignHostEvenWithTheKey) {
  for (const std::string foreign :
       {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "",
        "[::2]", "128.0.0.1", "0.0.0.0", "[::1].evil.example", "[::1]evil.example", "[::1]:80x",
        "localhost:80@evil.example", "localhost:123456", "127.0.0.1:80:80", "[::1",
        "user@localhost", "localhost/"}) {
    const RawAnswer answer = ask(server->port(), request_text("GET", "/", foreign, key()));
    EXPECT_EQ(answer.status, 403) << foreign;
    EXPECT_THAT(answer.body, Not(HasSubstr("passed")));
  }
  for (const std::string own :
       {"localhost", "LOCALHOST:99", "127.0.0.1", "127.3.2.1:5", "[::1]:7"}) {
    EXPECT_EQ(ask(server->port(), request_text("GET", "/", own, key())).status, 200) << own;
  }
}

TEST_F(ServerTest, PostNeedsTheSameOriginAndJson) {
  EXPECT_EQ(post(post_headers()).status, 200);
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(post(key() + json).status, 403);
  EXPECT_EQ(post(key() + json + "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(post(key() + json + "Origin: null\r\n").status, 403);
  EXPECT_EQ(post(key() + json + "Origin: https://" + host() + "\r\n").status, 403);
  EXPECT_EQ(post(key() + json + "Origin: http://127.0.0.1:1\r\n").status, 403);
  EXPECT_EQ(post(key() + "Origin: http://" + host() + "\r\n").status, 415);
  EXPECT_EQ(post(key() + "Content-Type: text/plain\r\nOrigin: http://" + host() + "\r\n").status,
            415);
  EXPECT_EQ(post(key() + "Content-Type: application/json-evil\r\nOrigin: http://" + host() + "\r\n")
                .status,
            415);
  EXPECT_EQ(post(post_headers() + "Sec-Fetch-Site: cross-site\r\n").status, 403);
}

TEST_F(ServerTest, RefusesOtherMethods) {
  for (const std::string method : {"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH"}) {
    EXPECT_EQ(ask(server->port(), request_text(method, "/", host(), key())).status, 405);
  }
  // A body would be taken for the next answer.
  EXPECT_EQ(ask(server->port(), request_text("HEAD", "/", host(), key())).body, "");
}

TEST_F(ServerTest, SendsTheHeadersThatKeepOthersOutAndNoneThatLetThemIn) {
  for (const RawAnswer& answer : {get("/", key()), get("/api/review", "")}) {
    EXPECT_THAT(answer.head, HasSubstr("Content-Security-Policy: default-src 'self'"));
    EXPECT_THAT(answer.head, HasSubstr("X-Frame-Options: DENY"));
    EXPECT_THAT(answer.head, HasSubstr("X-Content-Type-Options: nosniff"));
    EXPECT_THAT(answer.head, HasSubstr("Referrer-Policy: no-referrer"));
    EXPECT_THAT(answer.head, HasSubstr("Cache-Control: no-store"));
    EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(ServerTest, RefusesALongHeader) {
  EXPECT_EQ(get("/", key() + "X: " + std::string(9000, 'a') + "\r\n").status, 431);
  EXPECT_EQ(get("/" + std::string(9000, 'a'), key()).status, 431);
  EXPECT_EQ(get("/", key() + "X: " + std::string(6000, 'a') + "\r\n").status, 200);
}

TEST_F(ServerTest, RefusesALongBody) {
  EXPECT_EQ(post(post_headers(), std::string(65 * 1024, 'a')).status, 413);
  EXPECT_EQ(post(post_headers(), std::string(60 * 1024, 'a')).status, 200);
}

// Extensions of a chunk and trailers behind the last one would be in no limit: one connection
// without a key filled 1.5 GB in ten seconds.
TEST_F(ServerTest, RefusesChunksBeforeTheyAreRead) {
  const std::string head =
      fmt::format("POST /api/x HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n", host());
  for (const std::string& headers : {std::string(), post_headers()}) {
    for (const std::string& body :
         {std::string("2\r\n{}\r\n0\r\n\r\n"), "1;" + std::string(3 << 20, 'e'),
          "0\r\nTrailer: " + std::string(3 << 20, 't')}) {
      EXPECT_EQ(ask(server->port(), head + headers + "\r\n" + body).status, 411);
    }
  }
  EXPECT_EQ(get("/", key()).status, 200);
}

TEST_F(ServerTest, AnswersNonsenseWithARefusal) {
  for (const std::string nonsense :
       {"\x16\x03\x01\x02\x00\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    EXPECT_EQ(ask(server->port(), nonsense).status, 400) << nonsense;
  }
  EXPECT_EQ(get("/", key()).status, 200);
}

TEST_F(ServerTest, DropsASlowClientAndServesOthersMeanwhile) {
  ServerOptions options;
  options.read_time = std::chrono::milliseconds(2000);
  start(options);
  const RawClient slow(server->port());
  slow.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");  // never the empty line
  EXPECT_EQ(get("/", key()).status, 200);
  EXPECT_EQ(slow.read_all(), "");  // returns because the server closes
}

TEST_F(ServerTest, IdleStrangersGiveWayToTheReviewer) {
  ServerOptions options;
  options.max_connections = 8;
  start(options);
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 64; ++i) {
    held.push_back(std::make_unique<RawClient>(server->port()));
    held.back()->send("GET / HTTP/1.1\r\n");  // never the end of it
    EXPECT_EQ(get("/api/review", key()).status, 200) << i;
  }
  // Those that came first had to go, long before their time was up.
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(held[i]->read_all(), "");
}

TEST_F(ServerTest, StrangersDoNotTakeThePlaceOfTheReviewer) {
  ServerOptions options;
  options.max_connections = 8;
  start(options);
  const RawClient reviewer(server->port());
  const std::string request =
      fmt::format("GET /api/review HTTP/1.1\r\nHost: {}\r\n{}\r\n", host(), key());
  reviewer.send(request);
  EXPECT_THAT(reviewer.read_until("passed /api/review"), HasSubstr("200 OK"));
  std::vector<std::unique_ptr<RawClient>> others;
  for (int i = 0; i < 40; ++i) others.push_back(std::make_unique<RawClient>(server->port()));
  EXPECT_EQ(others.front()->read_all(), "");  // all have been accepted up to here
  reviewer.send(request);
  EXPECT_THAT(reviewer.read_until("passed /api/review"), HasSubstr("200 OK"));
}

// Decoding a picture may take seconds.
TEST(Server, SlowRequestsKeepNobodyWaiting) {
  std::mutex mutex;
  std::condition_variable changed;
  bool free = false;
  ServerOptions options;
  options.is_slow = [](const Request& request) { return request.path == "/slow"; };
  const Server server(options, [&](const Request& request) {
    if (request.path == "/slow") {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return free; });
    }
    return plain(200, "done");
  });
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 16; ++i) {  // more than it has threads
    slow.push_back(std::make_unique<RawClient>(server.port()));
    slow.back()->send(request_text("GET", "/slow", "localhost"));
  }
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(ask(server.port(), request_text("GET", "/", "localhost")).status, 200);
  }
  {
    const std::lock_guard lock(mutex);
    free = true;
  }
  changed.notify_all();
  for (const auto& client : slow) EXPECT_THAT(client->read_all(), HasSubstr("200 OK"));
}

// A program that it starts would keep the port taken.
TEST_F(ServerTest, ItsSocketsAreNotForProgramsThatItStarts) {
  const RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\n");
  get("/", key());  // the other one has been accepted
  size_t sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (gone || !target.starts_with("socket:")) continue;
    ++sockets;
    const int fd = std::stoi(entry.path().filename().string());
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_GE(sockets, 3u);  // listening, accepted, the client's
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
  early.send(request_text("GET", "/", host(), key()));
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
  EXPECT_THAT(get("/image/../../etc/passwd", key()).body,
              HasSubstr("passed /image/../../etc/passwd"));
}

TEST(Guard, ComparesWholeSecrets) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(Guard, AllowsAddressesButNoNamesWhenRemoteIsAllowed) {
  const Guard guard(kKey, true);
  Request request;
  request.method = "GET";
  request.path = "/api/review";
  request.key = kKey;
  request.host = "192.0.2.1:80";
  EXPECT_FALSE(guard.check(request).has_value());
  request.host = "evil.example";
  EXPECT_EQ(guard.check(request)->status, 403);
}

TEST(Guard, HasANewKeyAtEveryStart) {
  EXPECT_EQ(new_key().size(), 32u);
  EXPECT_NE(new_key(), new_key());
}

TEST(Guard, RemembersThePortInAFileForTheUserAlone) {
  TemporaryFolder folder;
  const Path file = folder / "session.json";
  EXPECT_EQ(load_port(file), 0);
  save_port(file, 4567);
  EXPECT_EQ(load_port(file), 4567);
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
  write_private(file, "{\"port\": 99999}");
  EXPECT_EQ(load_port(file), 0);
}

// Whoever made the folder would choose it.
TEST(Guard, TakesNoPortThatCameWithTheFolder) {
  TemporaryFolder folder, other;
  const Path file = folder / "session.json", copy = other / "session.json";
  save_port(file, 4567);
  write_private(copy, read_file(file));
  EXPECT_EQ(load_port(copy), 0);
  write_private(copy, R"({"port":80})");
  EXPECT_EQ(load_port(copy), 0);
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  EXPECT_EQ(load_port(file), 0);
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_EQ(load_port(file), 4567);
  std::filesystem::rename(file, folder / "elsewhere.json");
  std::filesystem::create_symlink(folder / "elsewhere.json", file);
  EXPECT_EQ(load_port(file), 0);
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
