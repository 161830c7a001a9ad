// The text of a table as programs and spreadsheets save it.
#pragma once

#include <string>
#include <string_view>

namespace spml {

// UTF-8 as it is, without its byte-order mark; UTF-16 with one and Windows-1252, in which
// spreadsheets save, converted. Error for a spreadsheet's own file and for other bytes.
class TableText {
 public:
  // The bytes must outlive it; `where` names them in messages.
  TableText(std::string_view bytes, std::string_view where);
  TableText(const TableText&) = delete;
  TableText& operator=(const TableText&) = delete;

  std::string_view text() const { return text_; }
  // What a user should know of the conversion; "" when there is nothing.
  const std::string& notice() const { return notice_; }

 private:
  std::string converted_;
  std::string_view text_;
  std::string notice_;
};

}  // namespace spml
