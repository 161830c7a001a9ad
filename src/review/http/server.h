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
  // Slow requests have their own threads, so that they never keep the others waiting.
  std::function<bool(const Request&)> is_slow = {};
  int slow_threads = 2;
  size_t max_header = size_t{8} << 10, max_body = size_t{64} << 10;
  // Once all are taken, a new connection replaces the one that has been idle longest. Connections
  // that never presented the key hold at most half of the places and never replace one that did.
  size_t max_connections = 64;
  std::chrono::milliseconds read_time{10'000};  // for a whole request to arrive
};

class Server {
 public:
  // Starts listening; Error when the address is not available. `handler` is called from several
  // threads; an exception from it becomes a response 500.
  Server(const ServerOptions& options, Handler handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();  // stops

  uint16_t port() const;
  void stop();  // abandons responses under way

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spml::review
