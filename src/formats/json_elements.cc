#include "formats/json_elements.h"

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

constexpr size_t kMostBrackets = 1024;

class Scanner {
 public:
  Scanner(std::string_view json, std::string_view where) : json_(json), where_(where) {}

  char peek() {
    position_ = std::min(json_.find_first_not_of(" \t\r\n", position_), json_.size());
    return position_ == json_.size() ? '\0' : json_[position_];
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }

  void expect(char c, std::string_view after) {
    if (!take(c)) fail_here(fmt::format("expected '{}' {}", c, after));
  }

  // The characters between the quotes, escapes left as they are.
  std::string_view string() {
    expect('"', "at the start of a key");
    const size_t begin = position_;
    skip_string();
    return json_.substr(begin, position_ - 1 - begin);
  }

  // The text of the value that starts here.
  std::string_view value() {
    const char first = peek();
    const size_t begin = position_;
    if (first == '{' || first == '[') {
      skip_nested();
    } else if (first == '"') {
      ++position_;
      skip_string();
    } else {
      position_ = std::min(json_.find_first_of(",]} \t\r\n", position_), json_.size());
    }
    if (position_ == begin) fail_here("expected a JSON value");
    return json_.substr(begin, position_ - begin);
  }

  [[noreturn]] void fail_here(std::string_view what) const {
    const auto line = 1 + std::count(json_.begin(), json_.begin() + position_, '\n');
    if (position_ == json_.size()) fail("{}:{}: {}; the file ends here", where_, line, what);
    fail("{}:{}: {} (byte {})", where_, line, what, position_);
  }

 private:
  // From just after the opening quote to just after the closing one.
  void skip_string() {
    for (;; ++position_) {
      position_ = json_.find_first_of("\"\\", position_);
      if (position_ == std::string_view::npos) break;
      if (json_[position_] == '"') {
        ++position_;
        return;
      }
      if (++position_ == json_.size()) break;
    }
    position_ = json_.size();
    fail_here("expected the end of a string");
  }

  void skip_nested() {
    char closing[kMostBrackets];  // what each open bracket waits for
    size_t depth = 0;
    do {
      if (position_ == json_.size()) fail_here("expected a closing bracket");
      const char c = json_[position_++];
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        if (depth == kMostBrackets) fail_here("brackets are nested too deeply");
        closing[depth++] = c == '{' ? '}' : ']';
      } else if (c == '}' || c == ']') {
        if (depth == 0 || closing[--depth] != c) fail_here("brackets do not match");
      }
    } while (depth > 0);
  }

  std::string_view json_;
  std::string_view where_;
  size_t position_ = 0;
};

}  // namespace

void for_each_element(
    std::string_view json, std::string_view where,
    const std::function<void(std::string_view key, std::string_view element)>& visit) {
  if (json.starts_with("\xEF\xBB\xBF")) json.remove_prefix(3);
  Scanner scanner(json, where);
  scanner.expect('{', "at the start of the file");
  bool more = !scanner.take('}');
  while (more) {
    const std::string_view key = scanner.string();
    scanner.expect(':', "after a key");
    if (!scanner.take('[')) {
      scanner.value();
    } else if (!scanner.take(']')) {
      do visit(key, scanner.value());
      while (scanner.take(','));
      scanner.expect(']', "or a comma after an element");
    }
    more = scanner.take(',');
    if (!more) scanner.expect('}', "or a comma after a member");
  }
  if (scanner.peek() != '\0') scanner.fail_here("expected nothing after the closing brace");
}

}  // namespace spml
