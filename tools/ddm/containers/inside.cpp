#include "containers/inside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "wire/sockets/connect.h"

namespace ddm {
namespace {

std::string namespace_path(pid_t pid, const char* kind) {
  return fmt::format("/proc/{}/ns/{}", pid, kind);
}

// A path of an open descriptor, which resolves without passing through another root.
std::string path_of_descriptor(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// The namespaces of a process that a child is to enter, opened before the fork.
struct Entrance {
  FileDescriptor user, network;
};

Result<Entrance> entrance_of(pid_t pid) {
  Entrance entrance;
  const auto open_one = [pid](const char* kind, FileDescriptor& to) -> std::optional<Error> {
    if (!in_other_namespace(pid, kind)) return {};
    to = FileDescriptor(open(namespace_path(pid, kind).c_str(), O_RDONLY | O_CLOEXEC));
    if (to.valid()) return {};
    return errno_error(namespace_path(pid, kind));
  };
  // Root may enter any network; another user is root only inside the user namespace.
  if (geteuid() != 0) {
    if (auto error = open_one("user", entrance.user)) return *error;
  }
  if (auto error = open_one("net", entrance.network)) return *error;
  return entrance;
}

Result<FileDescriptor> connect_in_child(const Entrance& entrance, uid_t uid, gid_t gid,
                                        const Address& address, std::chrono::milliseconds limit) {
  for (const FileDescriptor* one : {&entrance.user, &entrance.network}) {
    if (one->valid() && setns(one->get(), 0) != 0) return errno_error("entering its namespaces");
  }
  if (geteuid() == 0 && uid != 0 && !entrance.user.valid() &&
      (setgroups(0, nullptr) != 0 || setresgid(gid, gid, gid) != 0 ||
       setresuid(uid, uid, uid) != 0)) {
    return errno_error("becoming its user");
  }
  return connect_to(address, limit);
}

// A message of one byte or of words, and with the byte a descriptor.
void send_result(int to, const Result<FileDescriptor>& result) {
  std::string words = result ? "+" : "-" + result.message();
  iovec part{words.data(), words.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  if (result) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = result->get();
    std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  }
  static_cast<void>(sendmsg(to, &message, MSG_NOSIGNAL));
}

Result<FileDescriptor> receive_result(int from) {
  std::array<char, 1024> words{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  iovec part{words.data(), words.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t size = 0;
  do {
    size = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return Error{"the namespaces of the process cannot be entered"};
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (words[0] == '+' && head != nullptr && head->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return FileDescriptor(fd);
  }
  return Error{std::string(words.data() + 1, static_cast<std::size_t>(size) - 1)};
}

}  // namespace

bool in_other_namespace(pid_t pid, const char* kind) {
  struct stat ours {
  }, theirs{};
  return stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &ours) == 0 &&
         stat(namespace_path(pid, kind).c_str(), &theirs) == 0 &&
         (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

Result<FileDescriptor> open_inside(pid_t pid, const std::string& path, int flags, mode_t mode) {
  const std::string root_path = fmt::format("/proc/{}/root", pid);
  const FileDescriptor root(open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return errno_error(root_path);
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  FileDescriptor fd(
      static_cast<int>(syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how)));
  if (!fd.valid()) return errno_error(path);
  return fd;
}

Result<FileDescriptor> connect_inside(pid_t pid, uid_t uid, gid_t gid, const Address& address,
                                      std::chrono::milliseconds limit) {
  Address reached = address;
  FileDescriptor directory;
  if (address.kind == Address::Kind::kUnix) {
    // By its directory, so that the path is short enough for a socket and no link leads outside.
    const std::size_t slash = address.path.rfind('/');
    auto opened = open_inside(pid, address.path.substr(0, slash + 1), O_PATH | O_DIRECTORY);
    if (!opened) return opened.error();
    directory = std::move(*opened);
    reached.path = path_of_descriptor(directory.get()) + address.path.substr(slash);
  }
  const auto entrance = entrance_of(pid);
  if (!entrance) return entrance.error();
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return errno_error("socketpair");
  }
  FileDescriptor ours(pair[0]), theirs(pair[1]);
  const pid_t child = fork();
  if (child < 0) return errno_error("fork");
  if (child == 0) {
    send_result(theirs.get(), connect_in_child(*entrance, uid, gid, reached, limit));
    _exit(0);
  }
  theirs.reset();
  auto result = receive_result(ours.get());
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (result) return result;
  return Error{fmt::format("{}, inside process {}", result.message(), pid)};
}

}  // namespace ddm
