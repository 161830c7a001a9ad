// simdjson behind the project's errors: one parser reused for many short texts.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/fail.h"

namespace spml {

class JsonParser {
 public:
  // simdjson takes some ten bytes for each of the text.
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  // The root of `text`, valid until the next call; Error naming `where` when it is not JSON.
  simdjson::dom::element parse(std::string_view text, std::string_view where) {
    if (text.size() > kMaxBytes) {
      fail("{}: expected a piece of JSON of at most {} bytes, found {}", where, kMaxBytes,
           text.size());
    }
    buffer_.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    buffer_.assign(text);
    simdjson::dom::element root;
    if (const auto error = parser_.parse(buffer_.data(), text.size(), false).get(root)) {
      fail("{}: expected JSON: {}", where, simdjson::error_message(error));
    }
    return root;
  }

 private:
  simdjson::dom::parser parser_;
  std::string buffer_;  // the text and, beyond its end, the room simdjson may read
};

}  // namespace spml
