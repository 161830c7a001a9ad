// An HTTP/1.1 server for one page. server.cc alone knows Boost.Beast.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "review/http/http.h"

namespace spml::review {

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any that is free
  int threads = 4;
  // Requests that may take long are answered by threads of their own, so that they never keep the
  // others waiting.
  std::function<bool(const Request&)> is_slow = {};
  int slow_threads = 2;
  size_t max_header = size_t{8} << 10, max_body = size_t{64} << 10;
  // One too many takes the place of the one that has been idle longest; those that never had the
  // key hold half of the places at most, and none of those that did.
  size_t max_connections = 64;
  std::chrono::milliseconds read_time{10'000};  // for a whole request to arrive
};

class Server {
 public:
  // Listens from here on; Error when the address cannot be had. `handler` is called from several
  // threads; what it throws becomes an answer 500.
  Server(const ServerOptions& options, Handler handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();  // stops

  uint16_t port() const;
  void stop();  // answers under way are given up

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spml::review
