#include "wire/sockets/listener.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "core/filled_path.h"
#include "wire/sockets/socket_address.h"

namespace ddm {
namespace {

constexpr int kBacklog = 128;
constexpr int kSocketFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

Error cannot_listen(const std::string& where, int error_number) {
  std::string message = "cannot listen on " + where + ": " + errno_text(error_number);
  if (error_number == EADDRINUSE) {
    message += " (choose another port, or 0 for any free one)";
  } else if (error_number == EACCES) {
    message += " (choose a port above 1023, or 0 for any free one)";
  } else if (error_number == EADDRNOTAVAIL) {
    message += " (not an address of this machine)";
  }
  return {std::move(message)};
}

// The bound socket; on failure `failed` is errno.
FileDescriptor bind_tcp(const SocketAddress& address, int& failed) {
  FileDescriptor fd(socket(address.family(), kSocketFlags, 0));
  const int on = 1;
  // REUSEADDR: connections in TIME_WAIT of a former run do not block the port; on Linux it never
  // allows two listeners. V6ONLY: an IPv6 address does not include IPv4.
  if (fd.valid() && setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      (address.family() != AF_INET6 ||
       setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) &&
      bind(fd.get(), address.raw(), address.length) == 0 && listen(fd.get(), kBacklog) == 0) {
    return fd;
  }
  failed = errno;
  return {};
}

enum class Occupant { kNothing, kDeadSocket, kLiveSocket, kOther };

Occupant occupant_of(const Address& address, const SocketAddress& name) {
  struct stat status {};
  if (lstat(address.path.c_str(), &status) != 0) return Occupant::kNothing;
  if (!S_ISSOCK(status.st_mode) || status.st_uid != geteuid()) return Occupant::kOther;
  const FileDescriptor probe(socket(AF_UNIX, kSocketFlags, 0));
  if (probe.valid() && connect(probe.get(), name.raw(), name.length) != 0 &&
      errno == ECONNREFUSED) {
    return Occupant::kDeadSocket;
  }
  return Occupant::kLiveSocket;
}

// A process that waits for the path may connect as soon as it appears, and would be refused between
// bind() and listen(): the socket is bound to a temporary name and linked to the path once it
// listens.
bool bind_and_listen(int fd, const std::string& path) {
  const auto listens_at = [fd](const std::string& at) {
    const auto names = resolve({Address::Kind::kUnix, "", 0, at});
    return bind(fd, names->front().raw(), names->front().length) == 0 && listen(fd, kBacklog) == 0;
  };
  const std::string beside = path + "." + std::to_string(getpid());
  if (beside.size() >= sizeof(sockaddr_un::sun_path)) return listens_at(path);
  if (!listens_at(beside)) return false;
  int failed = link(beside.c_str(), path.c_str()) == 0 ? 0 : errno;
  // Not all file systems have hard links. An existing path is kept.
  if (failed != 0 && failed != EEXIST) {
    failed = rename(beside.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  unlink(beside.c_str());
  errno = failed != EEXIST ? failed : EADDRINUSE;
  return failed == 0;
}

}  // namespace

Result<Listener> Listener::open(const Address& address) {
  if (address.kind == Address::Kind::kTcp) return open_tcp(address);
  if (address.kind == Address::Kind::kScan) return open_scan();
  if (address.kind == Address::Kind::kUnix) return open_unix(address);
  return Error{"address 'none' cannot be listened on"};
}

Result<Listener> Listener::open_tcp(const Address& address) {
  const auto candidates = resolve(address);
  if (!candidates) return candidates.error();
  int failed = 0;
  for (const SocketAddress& candidate : *candidates) {
    FileDescriptor fd = bind_tcp(candidate, failed);
    if (!fd.valid()) continue;
    Address bound = to_address(local_end(fd.get()));
    return Listener(std::move(fd), std::move(bound));
  }
  return cannot_listen(to_string(address), failed);
}

Result<Listener> Listener::open_scan() {
  for (int port = kFirstScanPort; port <= kLastScanPort; ++port) {
    Result<Listener> result =
        open_tcp({Address::Kind::kTcp, "127.0.0.1", static_cast<std::uint16_t>(port), ""});
    if (result) return result;
  }
  return Error{"cannot listen: all ports of 127.0.0.1:" + std::to_string(kFirstScanPort) + "-" +
               std::to_string(kLastScanPort) + " are taken (choose a port, or 0 for any free one)"};
}

Result<Listener> Listener::open_unix(Address address) {
  address.path = fill_in_path(address.path, getpid(), time_text(std::time(nullptr)));
  const std::string where = to_string(address);
  if (address.path.size() >= sizeof(sockaddr_un::sun_path)) {
    return cannot_listen(where, ENAMETOOLONG);
  }
  const auto names = resolve(address);
  if (!names) return names.error();
  const SocketAddress& name = names->front();
  const Occupant there = occupant_of(address, name);
  if (there == Occupant::kLiveSocket) {
    return Error{"cannot listen on " + where + ": another process listens there"};
  }
  if (there == Occupant::kOther) {
    return Error{"cannot listen on " + where + ": the path exists and is no socket of ours"};
  }
  if (there == Occupant::kDeadSocket && unlink(address.path.c_str()) != 0) {
    return errno_error("cannot replace " + where);
  }
  FileDescriptor fd(socket(AF_UNIX, kSocketFlags, 0));
  // bind() limits the path's mode by the socket's mode, so there is no moment at which others may
  // connect (and no umask(), which would affect the whole process).
  if (!fd.valid() || fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0 ||
      !bind_and_listen(fd.get(), address.path)) {
    return errno_error("cannot listen on " + where);
  }
  Listener result(std::move(fd), address);
  struct stat status {};
  if (lstat(address.path.c_str(), &status) == 0) {
    result.device_ = status.st_dev;
    result.inode_ = status.st_ino;
  }
  return result;
}

Listener::~Listener() {
  if (!socket_.valid() || bound_.kind != Address::Kind::kUnix) return;
  struct stat status {};
  if (lstat(bound_.path.c_str(), &status) == 0 && status.st_dev == device_ &&
      status.st_ino == inode_) {
    unlink(bound_.path.c_str());
  }
}

}  // namespace ddm
