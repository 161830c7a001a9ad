#include "review/http/server.h"

#include <array>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <thread>

#include "base/fail.h"

namespace spml::review {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

using Message = http::response<http::string_body>;

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

Request plain_request(const http::request<http::string_body>& message) {
  Request request;
  request.method = text_of(message.method_string());
  set_target({message.target().data(), message.target().size()}, request);
  request.host = text_of(message[http::field::host]);
  request.origin = text_of(message[http::field::origin]);
  request.cookie = text_of(message[http::field::cookie]);
  request.content_type = text_of(message[http::field::content_type]);
  request.fetch_site = text_of(message["Sec-Fetch-Site"]);
  request.body = message.body();
  return request;
}

// Every answer carries these: nothing from elsewhere runs in the page, no other page shows it in a
// frame, and no cache keeps it.
Message to_message(Response response, unsigned version, bool keep_alive) {
  Message message{static_cast<http::status>(response.status), version};
  message.set(http::field::content_type, response.type);
  message.set("Content-Security-Policy",
              "default-src 'self'; frame-ancestors 'none'; base-uri 'none'");
  message.set("X-Frame-Options", "DENY");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  message.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(keep_alive);
  message.body() = std::move(response.body);
  message.prepare_payload();
  return message;
}

// One connection: reads a request, answers it, and so on until either side ends.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const ServerOptions& options, const Handler& handler,
          std::atomic<size_t>& open)
      : stream_(std::move(socket)), options_(options), handler_(handler), open_(open) {
    ++open_;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { --open_; }

  void start() {
    asio::dispatch(stream_.get_executor(),
                   beast::bind_front_handler(&Session::read, shared_from_this()));
  }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(options_.max_header));
    parser_->body_limit(options_.max_body);
    stream_.expires_after(options_.read_time);
    http::async_read(stream_, buffer_, *parser_,
                     beast::bind_front_handler(&Session::on_read, shared_from_this()));
  }

  void on_read(beast::error_code error, size_t) {
    if (error == http::error::header_limit) {
      return write(plain(431, "The header is too long."), 11, false);
    }
    if (error == http::error::body_limit) {
      return write(plain(413, "The request is too long."), 11, false);
    }
    if (error.category() == http::make_error_code(http::error::end_of_stream).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return write(plain(400, "Not a request."), 11, false);
    }
    if (error) return close();  // the other side ended, or took too long
    const auto& message = parser_->get();
    const unsigned version = message.version();
    const bool keep_alive = message.keep_alive();
    write(answer(plain_request(message)), version, keep_alive);
  }

  Response answer(const Request& request) const try {
    return handler_(request);
  } catch (const Error& error) {
    return plain(500, error.what());
  } catch (const std::exception&) {
    return plain(500, "The server failed.");
  }

  void write(Response response, unsigned version, bool keep_alive) {
    message_.emplace(to_message(std::move(response), version, keep_alive));
    stream_.expires_after(options_.read_time);
    http::async_write(stream_, *message_,
                      [self = shared_from_this(), keep_alive](beast::error_code error, size_t) {
                        if (error || !keep_alive) return self->close();
                        self->read();
                      });
  }

  // Closing a socket with unread bytes in it would take the last answer away from the client, so
  // what it still sends is read for a moment and dropped.
  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(1));
    drain();
  }

  void drain() {
    stream_.async_read_some(asio::buffer(dropped_),
                            [self = shared_from_this()](beast::error_code error, size_t bytes) {
                              self->drained_ += bytes;
                              if (!error && self->drained_ < kMaxDrained) self->drain();
                            });
  }

  static constexpr size_t kMaxDrained = 1 << 20;
  std::array<char, 4096> dropped_;
  size_t drained_ = 0;

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  const ServerOptions& options_;
  const Handler& handler_;
  std::atomic<size_t>& open_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Message> message_;
};

}  // namespace

struct Server::Impl {
  Impl(const ServerOptions& given, Handler handle)
      : options(given),
        handler(std::move(handle)),
        context(given.threads),
        work(context.get_executor()),
        acceptor(context),
        pause(context) {}

  void listen() {
    beast::error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error) fail("expected an address such as 127.0.0.1, found '{}'", options.address);
    const tcp::endpoint endpoint(address, options.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      fail("{}:{}: cannot listen there: {}; choose another --port", options.address, options.port,
           error.message());
    }
    options.port = acceptor.local_endpoint().port();
  }

  void accept() {
    acceptor.async_accept(asio::make_strand(context),
                          [this](beast::error_code error, tcp::socket socket) {
                            accepted(error, std::move(socket));
                          });
  }

  void accepted(beast::error_code error, tcp::socket socket) try {
    if (error == asio::error::operation_aborted) return;
    if (error) return accept_later();
    // One too many is closed at once.
    if (open < options.max_connections) {
      std::make_shared<Session>(std::move(socket), options, handler, open)->start();
    }
    accept();
  } catch (const std::exception&) {
    accept_later();
  }

  // Where descriptors or memory are short, the next try would fail at once, and so on.
  void accept_later() {
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](beast::error_code error) {
      if (!error) accept();
    });
  }

  // What a handler throws ends its connection, whose last user it was, and nothing else.
  void run() {
    while (!context.stopped()) {
      try {
        context.run();
      } catch (const std::exception&) {
      }
    }
  }

  ServerOptions options;
  Handler handler;
  std::atomic<size_t> open = 0;
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;  // run() is until stop()
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::vector<std::thread> threads;
};

Server::Server(const ServerOptions& options, Handler handler)
    : impl_(std::make_unique<Impl>(options, std::move(handler))) {
  impl_->listen();
  try {
    for (int i = 0; i < options.threads; ++i) {
      impl_->threads.emplace_back([impl = impl_.get()] { impl->run(); });
    }
    impl_->accept();  // last: no request is under way when a thread cannot be had
  } catch (...) {
    stop();
    throw;
  }
}

Server::~Server() { stop(); }

uint16_t Server::port() const { return impl_->options.port; }

void Server::stop() {
  impl_->context.stop();
  for (std::thread& thread : impl_->threads) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace spml::review
