// Who may use the page. The server listens on loopback, but every web page that the user visits and
// every other user of the machine can send requests there.
#pragma once

#include <optional>

#include "base/files.h"
#include "review/http/http.h"

namespace spml::review {

// 32 hex digits, another at every start: whoever listens on the port afterwards gets the old one
// from a page that is still open. The printed address has it behind '#', which browsers keep to
// themselves; the page sends it as a header, which no other page can.
std::string new_key();

// A folder as the file system knows it. A copy of it, or one out of an archive, is another.
struct FolderId {
  uint64_t device = 0, inode = 0;
};

// The port of last time in a file's text; 0 when it was not written for this folder.
uint16_t port_in(std::string_view text, const FolderId& folder);

// The port that this user's review in this folder had last time, from a file that nobody else can
// read; else 0: whoever gives away a review does not choose it.
uint16_t load_port(const Path& file);
void save_port(const Path& file, uint16_t port);
void write_private(const Path& file, const std::string& text);  // readable by the user alone

// In a time that does not depend on where the texts differ.
bool same_secret(std::string_view a, std::string_view b);

// Whether a Host header is a loopback name or address and at most a port behind it, nothing else.
// A name of another site that resolves to this machine (DNS rebinding) is not one.
bool is_loopback_host(std::string_view host);
bool is_loopback_address(std::string_view address);
// A number, not a name: no name can have been made to point here.
bool is_address_host(std::string_view host);

class Guard {
 public:
  // `remote`: addresses of other machines were allowed.
  Guard(std::string key, bool remote) : key_(std::move(key)), remote_(remote) {}

  // The answer to a request that may not pass; nothing for one that may. The page's own files,
  // which are those of the program, are for everybody on this machine; all else is for who has the
  // key.
  std::optional<Response> check(const Request& request) const;
  bool has_key(const Request& request) const { return same_secret(request.key, key_); }

 private:
  std::string key_;
  bool remote_;
};

}  // namespace spml::review
