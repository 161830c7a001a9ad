#include "review/http/http.h"

#include <algorithm>

namespace spml::review {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(16 * high + low);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::string Request::value(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

void set_target(std::string_view target, Request& request) {
  const size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query.clear();
  for (size_t begin = mark + 1; begin < target.size();) {
    const size_t end = std::min(target.find('&', begin), target.size());
    const std::string_view item = target.substr(begin, end - begin);
    const size_t equals = std::min(item.find('='), item.size());
    request.query[decode(item.substr(0, equals))] =
        equals < item.size() ? decode(item.substr(equals + 1)) : std::string();
    begin = end + 1;
  }
}

Response plain(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text) + "\n", {}, false};
}

}  // namespace spml::review
