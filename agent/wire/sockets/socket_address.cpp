#include "wire/sockets/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>
#include <memory>

namespace ddm {
namespace {

SocketAddress unix_address(const std::string& path) {
  SocketAddress result;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);  // parse_address() has checked the length
  std::memcpy(&result.storage, &name, sizeof name);
  result.length = sizeof name;
  return result;
}

// `flags` in addition to AI_NUMERICSERV. Returns 0 or getaddrinfo()'s EAI_... code.
int ask(const Address& address, int flags, addrinfo*& list) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  // The resolver must not decide which loopback address is meant.
  const char* host = address.host == "localhost" ? "127.0.0.1" : address.host.c_str();
  return getaddrinfo(host, std::to_string(address.port).c_str(), &hints, &list);
}

Result<std::vector<SocketAddress>> answer_of(const Address& address, int status, addrinfo* list) {
  const std::string& host = address.host;
  if (status != 0) {
    return Error{"host '" + host + "' cannot be resolved: " + gai_strerror(status)};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  std::vector<SocketAddress> result;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    SocketAddress one;
    if (entry->ai_addrlen > sizeof one.storage) continue;
    std::memcpy(&one.storage, entry->ai_addr, entry->ai_addrlen);
    one.length = entry->ai_addrlen;
    result.push_back(one);
  }
  if (result.empty()) return Error{"host '" + host + "' has no address"};
  return result;
}

SocketAddress end_of(int fd, int (*name_of_end)(int, sockaddr*, socklen_t*)) {
  SocketAddress result;
  socklen_t length = sizeof result.storage;
  if (name_of_end(fd, result.raw(), &length) == 0) result.length = length;
  return result;
}

}  // namespace

std::optional<Result<std::vector<SocketAddress>>> resolve_at_once(const Address& address) {
  using Answer = Result<std::vector<SocketAddress>>;
  if (address.kind == Address::Kind::kUnix) {
    return Answer(std::vector<SocketAddress>{unix_address(address.path)});
  }
  if (address.kind != Address::Kind::kTcp) {
    return Answer(Error{"'" + to_string(address) + "' names no single socket"});
  }
  addrinfo* list = nullptr;
  const int status = ask(address, AI_NUMERICHOST, list);
  if (status == EAI_NONAME) return std::nullopt;
  return answer_of(address, status, list);
}

Result<std::vector<SocketAddress>> resolve(const Address& address) {
  if (auto known = resolve_at_once(address)) return std::move(*known);
  addrinfo* list = nullptr;
  const int status = ask(address, 0, list);
  return answer_of(address, status, list);
}

SocketAddress local_end(int fd) { return end_of(fd, getsockname); }

SocketAddress far_end(int fd) { return end_of(fd, getpeername); }

Address to_address(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = "";
  switch (address.length == 0 ? AF_UNSPEC : address.family()) {
    case AF_INET: {
      const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
      inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
      return {Address::Kind::kTcp, text, ntohs(v4->sin_port), ""};
    }
    case AF_INET6: {
      const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
      inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
      return {Address::Kind::kTcp, text, ntohs(v6->sin6_port), ""};
    }
    case AF_UNIX: {
      const auto* name = reinterpret_cast<const sockaddr_un*>(&address.storage);
      return {Address::Kind::kUnix, "", 0,
              std::string(name->sun_path, strnlen(name->sun_path, sizeof name->sun_path))};
    }
    default:
      return {Address::Kind::kNone, "", 0, ""};
  }
}

}  // namespace ddm
