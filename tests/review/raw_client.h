// A client that sends whatever bytes a test wants to, to a server on this machine.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace spml::review {

class RawClient {
 public:
  explicit RawClient(uint16_t port, const std::function<void()>& before_connecting = {})
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (before_connecting) before_connecting();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(fd_); }

  bool connected() const { return connected_; }
  void send(const std::string& bytes) const {
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;  // the server has closed; what it said is read next
      sent += static_cast<size_t>(n);
    }
  }
  // Everything until the server closes, which a header "Connection: close" makes it do.
  std::string read_all() const {
    std::string all;
    char buffer[65536];
    for (ssize_t n; (n = ::recv(fd_, buffer, sizeof(buffer), 0)) > 0;)
      all.append(buffer, static_cast<size_t>(n));
    return all;
  }
  // Everything until `text` has come.
  std::string read_until(const std::string& text) const {
    std::string all;
    char byte = 0;
    while (all.find(text) == std::string::npos && ::recv(fd_, &byte, 1, 0) == 1) all += byte;
    return all;
  }

 private:
  int fd_;
  bool connected_ = false;
};

struct RawAnswer {
  int status = 0;
  std::string head, body;
};

inline RawAnswer ask(uint16_t port, const std::string& bytes) {
  const RawClient client(port);
  client.send(bytes);
  const std::string all = client.read_all();
  RawAnswer answer;
  const size_t end = all.find("\r\n\r\n");
  answer.head = all.substr(0, end);
  if (end != std::string::npos) answer.body = all.substr(end + 4);
  if (all.size() > 12) answer.status = std::atoi(all.c_str() + 9);
  return answer;
}

// A request with the headers that a browser sends; `more` are further header lines.
inline std::string request_text(const std::string& method, const std::string& target,
                                const std::string& host, const std::string& more = "",
                                const std::string& body = "") {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}Content-Length: {}\r\n\r\n{}", method,
      target, host, more, body.size(), body);
}

}  // namespace spml::review
