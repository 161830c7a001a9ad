// Who may use the page. The server listens on loopback, but every web page that the user visits and
// every other user of the machine can send requests there.
#pragma once

#include <optional>

#include "base/files.h"
#include "review/http/http.h"

namespace spml::review {

// Hex digits. The token stands in the printed address, the cookie in the browser.
struct Secrets {
  std::string token, cookie;
  uint16_t port = 0;  // of the last time, so that a page that is still open finds the server again
};

// A folder as the file system knows it. A copy of it, or one out of an archive, is another.
struct FolderId {
  uint64_t device = 0, inode = 0;
};

// The secrets of a file's text; nothing when it was not written for this folder.
std::optional<Secrets> secrets_in(std::string_view text, const FolderId& folder);

// Those that this user saved in this folder, in a file that nobody else can read; else new ones:
// whoever gives away a review must not know the keys with which it is served.
Secrets load_secrets(const Path& file);
void save_secrets(const Path& file, const Secrets& secrets);
void write_private(const Path& file, const std::string& text);  // readable by the user alone

// In a time that does not depend on where the texts differ.
bool same_secret(std::string_view a, std::string_view b);

// Whether a Host header names this machine by a loopback name or address; its port is ignored.
// A name of another site that resolves to this machine (DNS rebinding) is not one.
bool is_loopback_host(std::string_view host);
bool is_loopback_address(std::string_view address);
// A number, not a name: no name can have been made to point here.
bool is_address_host(std::string_view host);

class Guard {
 public:
  // `remote`: addresses of other machines were allowed.
  Guard(Secrets secrets, bool remote) : secrets_(std::move(secrets)), remote_(remote) {}

  // The answer to a request that may not pass, or that exchanges the token for the cookie; nothing
  // for one that may pass.
  std::optional<Response> check(const Request& request) const;

  void set_port(uint16_t port) { secrets_.port = port; }
  const Secrets& secrets() const { return secrets_; }

 private:
  std::string cookie_name() const;
  bool has_cookie(const Request& request) const;

  Secrets secrets_;
  bool remote_;
};

}  // namespace spml::review
