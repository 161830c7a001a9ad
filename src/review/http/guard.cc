#include "review/http/guard.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "base/fail.h"
#include "formats/json.h"
#include "review/store/random_hex.h"

namespace spml::review {
namespace {

constexpr size_t kKeyBytes = 16;  // 128 bits

bool is_number(const nlohmann::json& value, uint64_t number) {
  return value.is_number_unsigned() && value.get<uint64_t>() == number;
}

FolderId folder_of(const Path& file) {
  const Path folder = file.has_parent_path() ? file.parent_path() : Path(".");
  struct stat info;
  if (::stat(folder.c_str(), &info) != 0) fail("{}: cannot look it up", folder.string());
  return {info.st_dev, info.st_ino};
}

bool is_private(const Path& file) {
  struct stat info;
  return ::lstat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & 077) == 0;
}

// The host without its port and without the brackets of an IPv6 address; "" if it is malformed.
std::string_view host_name(std::string_view host) {
  const size_t end = host.starts_with('[') ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos) return {};
  std::string_view port = host.substr(host.starts_with('[') ? end + 1 : end);
  if (!port.empty() && port.front() != ':') return {};
  if (!port.empty()) port.remove_prefix(1);
  if (port.size() > 5 || port.find_first_not_of("0123456789") != port.npos) return {};
  return host.starts_with('[') ? host.substr(1, end - 1) : host.substr(0, end);
}

// Paths below these belong to the review; all others are files of the page.
bool is_private_path(std::string_view path) {
  return path.starts_with("/api/") || path.starts_with("/image/");
}

bool has_json_type(std::string_view type) {
  type = type.substr(0, std::min(type.find(';'), type.size()));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return type == "application/json";
}

}  // namespace

std::string new_key() { return random_hex(kKeyBytes); }

uint16_t port_in(std::string_view text, const FolderId& folder) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return 0;
  const auto value = [&](const char* key) { return json.value(key, nlohmann::json()); };
  if (!is_number(value("device"), folder.device) || !is_number(value("inode"), folder.inode)) {
    return 0;
  }
  const auto port = value("port");
  const bool possible = port.is_number_unsigned() && port.get<uint64_t>() <= 65535;
  return possible ? port.get<uint16_t>() : uint16_t{0};
}

uint16_t load_port(const Path& file) {
  return is_private(file) ? port_in(read_file(file, 4096), folder_of(file)) : uint16_t{0};
}

void save_port(const Path& file, uint16_t port) {
  const FolderId folder = folder_of(file);
  const nlohmann::json json = {{"port", port}, {"device", folder.device}, {"inode", folder.inode}};
  write_private(file, json.dump());
}

void write_private(const Path& file, const std::string& text) {
  const std::string draft = file.string() + ".new";
  ::unlink(draft.c_str());
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) ::close(fd);
  if (!written || ::rename(draft.c_str(), file.c_str()) != 0) {
    fail("{}: cannot write", file.string());
  }
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;  // the length is not secret
  unsigned different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return different == 0;
}

bool is_loopback_address(std::string_view address) {
  const std::string text(address);
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool is_loopback_host(std::string_view host) {
  std::string name(host_name(host));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "localhost" || is_loopback_address(name);
}

bool is_address_host(std::string_view host) {
  const std::string name(host_name(host));
  in_addr v4{};
  in6_addr v6{};
  return ::inet_pton(AF_INET, name.c_str(), &v4) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &v6) == 1;
}

std::optional<Response> Guard::check(const Request& request) const {
  if (!is_loopback_host(request.host) && !(remote_ && is_address_host(request.host))) {
    return plain(403, "This server answers to localhost only.");
  }
  const bool reads = request.method == "GET";
  if (!reads && request.method != "POST") {
    Response response = plain(405, "GET or POST.");
    response.headers.emplace_back("Allow", "GET, POST");
    return response;
  }
  if (reads && !is_private_path(request.path)) return std::nullopt;
  if (!has_key(request)) {
    return plain(401, "Open the address that spml review prints; it has a key in it.");
  }
  if (request.fetch_site == "cross-site" || request.fetch_site == "same-site") {
    return plain(403, "Requests of other pages are refused.");
  }
  if (!reads) {
    if (request.origin != "http://" + request.host) {
      return plain(403, "Requests of other pages are refused.");
    }
    if (!has_json_type(request.content_type)) return plain(415, "Expected application/json.");
  }
  return std::nullopt;
}

}  // namespace spml::review
