#include "cli/serve_review.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/fail.h"
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

// The port of the last time, so that a page that is still open goes on; another one where that is
// taken, unless it was asked for.
std::unique_ptr<Server> start_server(const ServeFlags& flags, uint16_t last,
                                     const Handler& handler) {
  ServerOptions options;
  options.address = flags.host;
  options.port = static_cast<uint16_t>(flags.port);
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

// A browser is told of a file that leads to the address: what stands on a command line can be read
// by everybody on the machine.
void open_browser(const Path& folder, const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const Path page = folder / "open.html";
  write_private(page,
                fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">"
                            "<a href=\"{}\">Open the review</a>\n",
                            address, address));
  run_process({"xdg-open", page.string()}, folder);
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
  options.make_thumbnail = thumbnail_maker();
  options.threads = common.threads;
  catch_interrupt();
  Review review(options);
  if (!common.quiet) {
    for (const std::string& text : review.notices()) notice(text);
  }
  Api api(review);
  Guard guard(load_secrets(secrets_file(options.out)), flags.allow_remote);
  const uint16_t last = guard.secrets().port;
  std::mutex ready;
  std::unique_ptr<Server> server;
  {
    // Requests may come in before the port is known to the guard; they wait for it. Where something
    // fails here, they must have gone on before the server ends, which waits for them.
    const std::lock_guard starting(ready);
    server = start_server(flags, last, [&](const Request& request) {
      { const std::lock_guard wait(ready); }
      return serve(guard, api, request);
    });
    guard.set_port(server->port());
    save_secrets(secrets_file(options.out), guard.secrets());
  }

  const std::string address = fmt::format("http://{}:{}/?token={}", bracketed(flags.host),
                                          server->port(), guard.secrets().token);
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
  if (!flags.no_browser) open_browser(options.out, address);
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server->stop();
  review.stop_retraining();
}

}  // namespace spml::cli
