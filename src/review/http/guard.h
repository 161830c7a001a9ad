// Who may use the page. The server listens on loopback, but every web page that the user visits and
// every other user of the machine can send requests there.
#pragma once

#include <optional>

#include "base/files.h"
#include "review/http/http.h"

namespace spml::review {

// 32 hex digits, new at every start, since a program that listens on the port afterwards receives
// the old key from a page that is still open. The printed address has it after '#', which browsers
// do not send; the page sends it in a header, which no other page can.
std::string new_key();

// A folder as the file system knows it. A copy of it, or one out of an archive, is another.
struct FolderId {
  uint64_t device = 0, inode = 0;
};

// The previous port, from a file's text; 0 when it was not written for this folder.
uint16_t port_in(std::string_view text, const FolderId& folder);

// The port this user's review in this folder had last time, from a file that nobody else can read,
// or 0. It is not kept in the review itself: whoever shares a review must not choose the port.
uint16_t load_port(const Path& file);
void save_port(const Path& file, uint16_t port);
void write_private(const Path& file, const std::string& text);  // readable by the user alone

// Takes the same time wherever the texts differ.
bool same_secret(std::string_view a, std::string_view b);

// Whether a Host header is exactly a loopback name or address, with or without a port. The name of
// another site that resolves to this machine (DNS rebinding) is not.
bool is_loopback_host(std::string_view host);
bool is_loopback_address(std::string_view address);
// A numeric address: unlike a name, it cannot be made to point here.
bool is_address_host(std::string_view host);

class Guard {
 public:
  // `remote`: addresses of other machines are allowed.
  Guard(std::string key, bool remote) : key_(std::move(key)), remote_(remote) {}

  // The refusal of a request, or nothing if it may pass. The page's files, which are part of the
  // program, are open to everybody on this machine; everything else needs the key.
  std::optional<Response> check(const Request& request) const;
  bool has_key(const Request& request) const { return same_secret(request.key, key_); }

 private:
  std::string key_;
  bool remote_;
};

}  // namespace spml::review
