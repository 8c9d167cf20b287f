#include "wire/sockets/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <filesystem>
#include <optional>

#include "core/whole_text.h"

namespace ddm {
namespace {

// sun_path includes a terminating NUL.
constexpr std::size_t kMaxUnixPath = sizeof(sockaddr_un::sun_path) - 1;

Error bad_address(std::string_view text, const std::string& why) {
  return {"address '" + std::string(text) + "': " + why +
          "; use HOST:PORT, [IPV6]:PORT, PORT, scan, unix:PATH or none"};
}

Result<Address> parse_unix(std::string_view text, std::string_view path) {
  if (path.empty()) return bad_address(text, "no path after unix:");
  if (path.find('\0') != std::string_view::npos) return bad_address(text, "NUL byte in the path");
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) return bad_address(text, "the current directory is unknown");
  if (absolute.native().size() > kMaxUnixPath) {
    return bad_address(text, "the path is longer than the " + std::to_string(kMaxUnixPath) +
                                 " bytes a Unix socket can have");
  }
  return Address{Address::Kind::kUnix, "", 0, absolute.native()};
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  if (text == "none") return Address{Address::Kind::kNone, "", 0, ""};
  if (text == "scan") return Address{Address::Kind::kScan, "127.0.0.1", 0, ""};
  if (text.starts_with("unix:")) return parse_unix(text, text.substr(5));

  std::string_view host = "127.0.0.1";
  std::string_view port = text;
  if (text.starts_with('[')) {
    const std::size_t close = text.find("]:");
    if (close == std::string_view::npos) return bad_address(text, "no ]:PORT after the [");
    host = text.substr(1, close - 1);
    port = text.substr(close + 2);
    in6_addr parsed;
    const std::string numeric(host.substr(0, host.find('%')));  // a zone may follow: fe80::1%eth0
    if (inet_pton(AF_INET6, numeric.c_str(), &parsed) != 1) {
      return bad_address(text, "'" + std::string(host) + "' is no IPv6 address");
    }
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.empty()) return bad_address(text, "no host before the colon");
    if (host.find(':') != std::string_view::npos) {
      return bad_address(text, "an IPv6 address needs brackets");
    }
    if (host.find_first_of(std::string_view(" \t\0/,", 5)) != std::string_view::npos) {
      return bad_address(text, "'" + std::string(host) + "' is no host name");
    }
    if (host == "*") host = "0.0.0.0";
  }
  const std::optional<std::uint16_t> number = number_in<std::uint16_t>(port);
  if (!number) {
    return bad_address(text, "'" + std::string(port) + "' is no port number (0 to 65535)");
  }
  return Address{Address::Kind::kTcp, std::string(host), *number, ""};
}

std::string to_string(const Address& address) {
  if (address.kind == Address::Kind::kScan) return "scan";
  if (address.kind == Address::Kind::kUnix) return "unix:" + address.path;
  if (address.kind == Address::Kind::kNone) return "none";
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_loopback(const Address& address) {
  if (address.kind != Address::Kind::kTcp) return true;
  if (address.host == "localhost") return true;
  in_addr v4;
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Result<DyperAddress> parse_dyper_address(std::string_view text) {
  constexpr std::string_view kListen = "listen:", kConnect = "connect:", kUnix = "unix:";
  const Error wrong{"\"" + std::string(text) +
                    "\" is not listen:HOST:PORT, unix:PATH or connect:HOST:PORT"};
  std::string_view rest = text;
  const bool connect_out = rest.starts_with(kConnect);
  if (connect_out) {
    rest.remove_prefix(kConnect.size());
  } else if (rest.starts_with(kListen)) {
    rest.remove_prefix(kListen.size());
  } else if (!rest.starts_with(kUnix)) {
    return wrong;
  }
  const auto address = parse_address(rest);
  if (!address) return wrong;
  const bool tcp = address->kind == Address::Kind::kTcp && (address->port != 0 || !connect_out);
  if (!tcp && address->kind != Address::Kind::kUnix) return wrong;
  return DyperAddress{*address, connect_out};
}

}  // namespace ddm
