#include "cli/serve_review.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "base/fail.h"
#include "base/folders.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/thumbnail.h"
#include "review/http/api.h"
#include "review/http/page_files.h"
#include "review/http/server.h"

namespace spml::cli {
namespace {

using namespace review;

void check_address(const ServeFlags& flags) {
  if (is_loopback_address(flags.host) || flags.allow_remote) return;
  fail_usage(
      "--host {}: other machines could reach the review there; add --allow-remote if that is "
      "meant, or leave it out",
      flags.host);
}

// The previous port, so that a page that is still open goes on working; another one if it is taken,
// unless it was asked for.
std::unique_ptr<Server> start_server(const ServeFlags& flags, uint16_t last,
                                     const Handler& handler) {
  ServerOptions options;
  options.address = flags.host;
  options.port = static_cast<uint16_t>(flags.port);
  options.is_slow = is_slow;
  if (flags.port == 0 && last != 0) {
    options.port = last;
    try {
      return std::make_unique<Server>(options, handler);
    } catch (const Error&) {
      options.port = 0;
    }
  }
  return std::make_unique<Server>(options, handler);
}

// The browser is given a file that leads to the address, because everybody on the machine can read
// command lines. The file is removed with this object.
class BrowserPage {
 public:
  BrowserPage(const Path& folder, const std::string& address)
      : page_(absolute_path(folder) / "open.html") {
    write_private(page_,
                  fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">"
                              "<a href=\"{}\">Open the review</a>\n",
                              address, address));
    process_ = start_process({"xdg-open", page_.string()}, page_.parent_path());
  }
  BrowserPage(const BrowserPage&) = delete;
  BrowserPage& operator=(const BrowserPage&) = delete;
  ~BrowserPage() { remove_file(page_); }

  // Printed once, if no browser could be opened.
  bool failed() {
    if (process_ != 0 && !has_failed(process_)) return false;
    process_ = 0;
    return !std::exchange(told_, true);
  }

 private:
  Path page_;
  int process_ = 0;
  bool told_ = false;
};

bool has_desktop() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

// Reports once that the log is behind and once that it has caught up.
class LogWatch {
 public:
  void look(Review& review) {
    const std::string problem = review.log_problem();
    if (problem.empty() == problem_.empty()) return;
    notice(problem.empty() ? "the log has every answer again" : problem);
    problem_ = problem;
  }

 private:
  std::string problem_;
};

// Waits for Ctrl-C.
void wait_for_end(Review& review, BrowserPage* browser, bool quiet) {
  constexpr int kLookEvery = 20;
  LogWatch log;
  for (int i = 0; !interrupted(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (quiet || i % kLookEvery != 0) continue;
    log.look(review);
    if (browser != nullptr && browser->failed()) {
      notice("no browser could be opened (xdg-open); open the address yourself");
    }
  }
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

void serve_review(ReviewOptions options, const ServeFlags& flags, const Common& common) {
  check_address(flags);
  if (page_file("preact.js").empty()) {
    fail(
        "this spml was built without the page; install npm, configure with -DSPML_WEB=ON and build "
        "again");
  }
  options.make_thumbnail = thumbnail_maker(interrupted);
  options.stop_requested = interrupted;
  options.threads = common.threads;
  catch_interrupt();
  Review review(options);
  if (!common.quiet) {
    for (const std::string& text : review.notices()) notice(text);
  }
  Api api(review);
  const std::string key = new_key();
  const Guard guard(key, flags.allow_remote);
  const Path session = session_file(options.out);
  const auto server = start_server(flags, load_port(session), [&](const Request& request) {
    return serve(guard, api, request);
  });
  save_port(session, server->port());
  const std::string address =
      fmt::format("http://{}:{}/#key={}", bracketed(flags.host), server->port(), key);
  size_t open = 0, answered = 0;
  for (const Counts& counts : review.store().counts()) {
    open += counts[0];
    answered += counts[1] + counts[2] + counts[3];
  }
  if (common.json) {
    print_json({{"address", address},
                {"port", server->port()},
                {"review", options.out.string()},
                {"open", open},
                {"answers", answered},
                {"resumed", review.resumed()}});
  } else {
    fmt::print("{}: {} suggestions, {} answers so far\n\n  {}\n\n",
               printable(review.store().subject().name), open + answered, answered, address);
    if (!common.quiet) {
      fmt::print(
          "Open the address in a browser. Ctrl-C ends the server; every answer is saved when "
          "it is given.\n");
    }
  }
  std::fflush(stdout);
  std::optional<BrowserPage> browser;
  if (!flags.no_browser && has_desktop()) browser.emplace(options.out, address);
  wait_for_end(review, browser ? &*browser : nullptr, common.quiet);
  server->stop();
  review.stop_retraining();
}

}  // namespace spml::cli
