#include "attach.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "sockets/connect.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kSocketTime{10'000};
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::milliseconds kAnswerTime{60'000};

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

// The text behind "NAME:" in /proc/PID/status, "" if there is none.
std::string status_field(pid_t pid, const std::string& name) {
  std::ifstream status(proc(pid, "status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return line.substr(name.size() + 1);
  }
  return {};
}

bool maps_libjvm(pid_t pid) {
  std::ifstream maps(proc(pid, "maps"));
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/libjvm.so") != std::string::npos) return true;
  }
  return false;
}

// SIGQUIT ends a process that does not catch it: anything but a JVM, one that is just starting,
// and one with -Xrs.
bool catches_sigquit(pid_t pid) {
  const std::string mask = status_field(pid, "SigCgt");
  const std::uint64_t caught = std::strtoull(mask.c_str(), nullptr, 16);
  return (caught >> (SIGQUIT - 1) & 1) != 0;
}

// The last number of NSpid is the one in the innermost namespace.
std::string own_pid(pid_t pid) {
  const std::string all = status_field(pid, "NSpid");
  const std::size_t last = all.find_last_of(" \t");
  return last == std::string::npos ? std::to_string(pid) : all.substr(last + 1);
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

class TriggerFile {
 public:
  // In the JVM's directory, or where that cannot be written in its /tmp.
  explicit TriggerFile(pid_t pid, const std::string& name) {
    for (const std::string& directory : {proc(pid, "cwd"), proc(pid, "root/tmp")}) {
      path_ = directory + "/" + name;
      const FileDescriptor fd(
          open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
      if (fd.valid() || errno == EEXIST) return;
    }
    error_ = errno;
    path_.clear();
  }
  ~TriggerFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  TriggerFile(const TriggerFile&) = delete;
  TriggerFile& operator=(const TriggerFile&) = delete;
  int error() const { return error_; }

 private:
  std::string path_;
  int error_ = 0;
};

std::optional<Error> open_socket(pid_t pid, const std::string& socket_path) {
  if (is_socket(socket_path)) return {};
  if (!catches_sigquit(pid)) {
    return Error{"process " + std::to_string(pid) +
                 " does not catch SIGQUIT: it is still starting, or runs with -Xrs"};
  }
  const TriggerFile trigger(pid, ".attach_pid" + own_pid(pid));
  if (trigger.error() != 0) {
    return Error{"cannot ask process " + std::to_string(pid) +
                 " to listen: " + errno_text(trigger.error())};
  }
  if (kill(pid, SIGQUIT) != 0) return errno_error("cannot signal process " + std::to_string(pid));
  const auto deadline = std::chrono::steady_clock::now() + kSocketTime;
  while (!is_socket(socket_path)) {
    if (std::chrono::steady_clock::now() > deadline) {
      return Error{"process " + std::to_string(pid) +
                   " does not answer; is it stopped, or run with -XX:+DisableAttachMechanism?"};
    }
    std::this_thread::sleep_for(kLook);
  }
  return {};
}

// All that comes until the JVM closes.
Result<std::string> exchange(int fd, std::string_view request) {
  while (!request.empty()) {
    const ssize_t size = send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EINTR) return errno_error("writing to the JVM");
    if (size > 0) request.remove_prefix(static_cast<std::size_t>(size));
  }
  std::string answer;
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd polled{fd, POLLIN, 0};
    if (poll(&polled, 1, static_cast<int>(kAnswerTime.count())) == 0) {
      return Error{"the JVM has not loaded the agent within " +
                   std::to_string(kAnswerTime.count() / 1000) + " s"};
    }
    const ssize_t size = recv(fd, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno_error("reading from the JVM");
    if (size == 0) return answer;
    answer.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// "0\n" and, of the agent itself, "return code: 0"; else what went wrong.
std::optional<Error> judge(const std::string& answer) {
  constexpr std::string_view kReturnCode = "return code: ";
  const std::size_t line = answer.find('\n');
  const std::string text = line == std::string::npos ? "" : one_line(answer.substr(line + 1));
  if (answer.substr(0, line) != "0") {
    return Error{"the JVM refused: " + (text.empty() ? one_line(answer) : text)};
  }
  if (text.starts_with(kReturnCode) && text != std::string(kReturnCode) + "0") {
    return Error{"the agent refused to start (" + text +
                 "); the reason is on the stderr of the program"};
  }
  if (!text.empty() && !text.starts_with(kReturnCode)) return Error{"the JVM refused: " + text};
  return {};
}

}  // namespace

std::optional<Error> load_agent(pid_t pid, const std::string& library, const std::string& options) {
  const std::string name = "process " + std::to_string(pid);
  if (access(proc(pid, "").c_str(), F_OK) != 0) return Error{"there is no " + name};
  if (access(proc(pid, "maps").c_str(), R_OK) != 0) {
    return Error{name + " belongs to another user"};
  }
  if (!maps_libjvm(pid)) return Error{name + " is no HotSpot JVM"};
  const std::string socket_path = proc(pid, "root/tmp/.java_pid" + own_pid(pid));
  if (auto error = open_socket(pid, socket_path)) return error;
  auto socket = connect_to({Address::Kind::kUnix, "", 0, socket_path}, kSocketTime);
  if (!socket) return socket.error();
  const int flags = fcntl(socket->get(), F_GETFL);
  if (flags < 0 || fcntl(socket->get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return errno_error("fcntl");
  }
  std::string request;
  for (const std::string& part :
       {std::string("1"), std::string("load"), library, std::string("true"), options}) {
    request += part;
    request += '\0';
  }
  const auto answer = exchange(socket->get(), request);
  if (!answer) return answer.error();
  return judge(*answer);
}

}  // namespace ddm
