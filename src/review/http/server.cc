#include "review/http/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>
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

constexpr const char* kKeyHeader = "Spml-Key";

Request plain_request(const http::request<http::string_body>& message) {
  Request request;
  request.method = text_of(message.method_string());
  set_target({message.target().data(), message.target().size()}, request);
  request.host = text_of(message[http::field::host]);
  request.origin = text_of(message[http::field::origin]);
  request.key = text_of(message[kKeyHeader]);
  request.content_type = text_of(message[http::field::content_type]);
  request.fetch_site = text_of(message["Sec-Fetch-Site"]);
  request.body = message.body();
  return request;
}

// Programs disagree on which of two equal headers counts, which attackers exploit.
bool says_twice(const http::request<http::string_body>& message) {
  return message.count(http::field::host) > 1 || message.count(http::field::origin) > 1 ||
         message.count(http::field::content_type) > 1 || message.count(kKeyHeader) > 1 ||
         message.count("Sec-Fetch-Site") > 1;
}

void close_on_exec(int fd) { ::fcntl(fd, F_SETFD, FD_CLOEXEC); }

// Sent with every response: the page runs nothing from elsewhere, cannot be framed by another page,
// and is never cached. Pictures are fetched with the key and shown as blobs.
Message to_message(Response response, unsigned version, bool keep_alive) {
  Message message{static_cast<http::status>(response.status), version};
  message.set(http::field::content_type, response.type);
  message.set("Content-Security-Policy",
              "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; "
              "form-action 'none'");
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

// One connection: reads and answers one request after another until either side closes it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const ServerOptions& options, const Handler& handler,
          asio::thread_pool& slow)
      : stream_(std::move(socket)),
        buffer_(options.max_header + options.max_body),
        options_(options),
        handler_(handler),
        slow_(slow) {
    close_on_exec(stream_.socket().native_handle());
  }

  void start() {
    asio::dispatch(stream_.get_executor(),
                   beast::bind_front_handler(&Session::read, shared_from_this()));
  }

  // Seen from the thread that accepts connections.
  bool has_key() const { return has_key_; }
  bool is_idle() const { return !busy_ && !evicted_; }
  bool is_evicted() const { return evicted_; }
  void evict() {
    evicted_ = true;
    asio::dispatch(stream_.get_executor(), [self = shared_from_this()] {
      if (!self->busy_) self->stream_.close();  // else after the answer
    });
  }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(options_.max_header));
    parser_->body_limit(options_.max_body);
    stream_.expires_after(options_.read_time);
    http::async_read_header(stream_, buffer_, *parser_,
                            beast::bind_front_handler(&Session::on_header, shared_from_this()));
  }

  // Bad requests are refused before their body is read. So are chunked ones: no limit covers their
  // extensions and trailers, and browsers do not send them here.
  void on_header(beast::error_code error, size_t) {
    if (error) return on_error(error);
    if (says_twice(parser_->get())) return refuse(400, "A header is there twice.");
    if (parser_->get().has_content_length()) {
      if (parser_->content_length_remaining().value_or(0) > options_.max_body) {
        return refuse(413, "The request is too long.");
      }
    } else if (parser_->chunked() || parser_->get().count(http::field::transfer_encoding) > 0) {
      return refuse(411, "A body needs a Content-Length.");
    }
    http::async_read(stream_, buffer_, *parser_,
                     beast::bind_front_handler(&Session::on_read, shared_from_this()));
  }

  void on_error(beast::error_code error) {
    if (error == http::error::header_limit) return refuse(431, "The header is too long.");
    if (error == http::error::body_limit) return refuse(413, "The request is too long.");
    if (error.category() == http::make_error_code(http::error::end_of_stream).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return refuse(400, "Not a request.");
    }
    close();  // the other side closed, or took too long
  }

  void refuse(int status, const char* text) { write(plain(status, text), 11, false); }

  void on_read(beast::error_code error, size_t) {
    if (error) return on_error(error);
    busy_ = true;
    const unsigned version = parser_->get().version();
    const bool keep_alive = parser_->get().keep_alive();
    Request request = plain_request(parser_->get());
    if (!options_.is_slow || !options_.is_slow(request)) {
      return write(answer(request), version, keep_alive);
    }
    asio::post(
        slow_, [self = shared_from_this(), request = std::move(request), version, keep_alive] {
          if (self->is_gone()) return;  // nobody is waiting for it
          asio::post(self->stream_.get_executor(),
                     [self, response = self->answer(request), version, keep_alive]() mutable {
                       self->write(std::move(response), version, keep_alive);
                     });
        });
  }

  // Whether the other side has closed, as a page does for pictures it no longer shows.
  bool is_gone() {
    char byte = 0;
    return ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  Response answer(const Request& request) const try {
    return handler_(request);
  } catch (const Error& error) {
    return plain(500, error.what());
  } catch (const std::exception&) {
    return plain(500, "The server failed.");
  }

  void write(Response response, unsigned version, bool keep_alive) {
    if (response.has_key) has_key_ = true;
    if (parser_->get().method() == http::verb::head) response.body.clear();
    message_.emplace(to_message(std::move(response), version, keep_alive));
    stream_.expires_after(options_.read_time);
    http::async_write(stream_, *message_,
                      [self = shared_from_this(), keep_alive](beast::error_code error, size_t) {
                        self->busy_ = false;
                        if (error || !keep_alive || self->evicted_) return self->close();
                        self->read();
                      });
  }

  // Closing a socket with unread bytes would discard the response on its way to the client, so
  // whatever it still sends is read for a moment and dropped.
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
  asio::thread_pool& slow_;
  std::atomic<bool> has_key_ = false;  // of a request that was answered
  std::atomic<bool> busy_ = false;     // a request is being answered
  std::atomic<bool> evicted_ = false;
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
        pause(context),
        slow(static_cast<size_t>(given.slow_threads)) {}

  void listen() {
    beast::error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error) fail("expected an address such as 127.0.0.1, found '{}'", options.address);
    const tcp::endpoint endpoint(address, options.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) close_on_exec(acceptor.native_handle());
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
    if (make_room()) {
      const auto session = std::make_shared<Session>(std::move(socket), options, handler, slow);
      sessions.push_back(session);
      session->start();
    }
    accept();
  } catch (const std::exception&) {
    accept_later();
  }

  // Makes room for one more; false if there is none. Only one accept is under way at a time, so
  // only one thread uses the list.
  bool make_room() {
    size_t strangers = 0, holders = 0;
    std::shared_ptr<Session> stranger, holder;  // those that have been idle longest
    std::erase_if(sessions,
                  [](const std::weak_ptr<Session>& session) { return session.expired(); });
    for (const std::weak_ptr<Session>& known : sessions) {
      const auto session = known.lock();
      if (!session || session->is_evicted()) continue;
      ++(session->has_key() ? holders : strangers);
      auto& oldest = session->has_key() ? holder : stranger;
      if (!oldest && session->is_idle()) oldest = session;
    }
    if (strangers >= std::max<size_t>(options.max_connections / 2, 1)) {
      if (!stranger) return false;
      stranger->evict();
    } else if (strangers + holders >= options.max_connections) {
      const auto& oldest = stranger ? stranger : holder;
      if (!oldest) return false;
      oldest->evict();
    }
    return sessions.size() < 2 * options.max_connections;  // with those that are being closed
  }

  // When descriptors or memory run out, trying again at once would fail again and again.
  void accept_later() {
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](beast::error_code error) {
      if (!error) accept();
    });
  }

  // An exception from a handler ends only its own connection.
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
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;  // run() is until stop()
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::list<std::weak_ptr<Session>> sessions;  // in the order in which they came
  asio::thread_pool slow;
  std::vector<std::thread> threads;
};

Server::Server(const ServerOptions& options, Handler handler)
    : impl_(std::make_unique<Impl>(options, std::move(handler))) {
  impl_->listen();
  try {
    for (int i = 0; i < options.threads; ++i) {
      impl_->threads.emplace_back([impl = impl_.get()] { impl->run(); });
    }
    impl_->accept();  // last: if a thread cannot be started, no request is under way
  } catch (...) {
    stop();
    throw;
  }
}

Server::~Server() { stop(); }

uint16_t Server::port() const { return impl_->options.port; }

void Server::stop() {
  impl_->context.stop();
  impl_->slow.stop();
  impl_->slow.join();
  for (std::thread& thread : impl_->threads) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace spml::review
