// A request and its response, as everything except the server itself sees them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spml::review {

struct Request {
  std::string method;                        // GET, POST, ...
  std::string path;                          // before the '?', as it was sent
  std::map<std::string, std::string> query;  // decoded
  std::string host, origin, key, content_type, fetch_site;
  std::string body;

  std::string value(const std::string& name) const;  // of the query; "" when it is not there
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool has_key = false;  // the sender is allowed to use the review
};

using Handler = std::function<Response(const Request&)>;

// Sets path and query from the request target, the text after GET.
void set_target(std::string_view target, Request& request);

// A short plain-text response, for refusals.
Response plain(int status, std::string text);

}  // namespace spml::review
