#include "attach.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <system_error>
#include <thread>

#include "containers/agent_copy.h"
#include "containers/inside.h"
#include "core/class_names.h"
#include "core/clocks.h"
#include "core/proc_stat.h"
#include "interrupt.h"
#include "wire/sockets/connect.h"

namespace ddm {

TriggerFile::TriggerFile(std::initializer_list<std::string> directories, const std::string& name,
                         uid_t owner, gid_t group)
    : name_(name) {
  for (const std::string& path : directories) {
    FileDescriptor directory(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) {
      error_ = errno_error(path);
      continue;
    }
    const FileDescriptor fd(openat(directory.get(), name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const int error = errno;
    // A JVM in a user namespace of its own accepts no file of the outer root.
    if (fd.valid() && geteuid() == 0 && fchown(fd.get(), owner, group) != 0) {
      error_ = errno_error(path + "/" + name);
      unlinkat(directory.get(), name.c_str(), 0);
      continue;
    }
    struct stat status {};
    if (fd.valid() || error == EEXIST) {
      error_.reset();
      if (fstatat(directory.get(), name.c_str(), &status, 0) != 0 ||
          (status.st_uid != owner && status.st_uid != 0)) {
        error_ = Error{path + "/" + name + " belongs to another user; the JVM would not take it"};
      }
      if (fd.valid()) directory_ = std::move(directory);
      return;
    }
    error_ = Error{path + "/" + name + ": " + errno_text(error)};
  }
}

TriggerFile::~TriggerFile() {
  if (directory_.valid()) unlinkat(directory_.get(), name_.c_str(), 0);
}

namespace {

constexpr std::chrono::milliseconds kSocketTime{10'000};
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::milliseconds kStartTime{4'000};
constexpr std::chrono::milliseconds kAnswerTime{60'000};
constexpr std::chrono::milliseconds kPollInterval{100};
constexpr std::chrono::milliseconds kInterruptedTime{1'000};

std::string name_of(const JvmProcess& jvm) { return "process " + std::to_string(jvm.pid()); }

// What ends a wait for the JVM early: the user, or a debugger that has suspended the threads that
// answer. That is detected from outside: the JVM has a debugger's agent, has had time to answer, and
// uses no CPU.
class JvmWait {
 public:
  JvmWait(const JvmProcess& jvm, bool until_interrupted)
      : jvm_(jvm), until_interrupted_(until_interrupted) {
    measurable_ = jvm.has_jdwp_agent() && clock_getcpuclockid(jvm.pid(), &clock_) == 0;
    cpu_ns_ = nanos_of(clock_);
  }

  bool interrupted() const { return until_interrupted_ && ddm::interrupted(); }
  Error interruption() const { return {"interrupted before " + name_of(jvm_) + " has answered"}; }

  bool suspended() {
    const auto now = std::chrono::steady_clock::now();
    if (!measurable_ || now < since_ + kMinWait) return false;
    const std::int64_t used_ns = nanos_of(clock_) - cpu_ns_;
    if (std::chrono::nanoseconds(used_ns * 10) < now - since_) return true;
    since_ = now;
    cpu_ns_ += used_ns;
    return false;
  }
  Error suspension_error() const {
    return {name_of(jvm_) +
            " stands still; a debugger holds its threads, it seems. It reads the request when the "
            "debugger lets them go on"};
  }

 private:
  static constexpr std::chrono::milliseconds kMinWait{2500};

  const JvmProcess& jvm_;
  const bool until_interrupted_;
  clockid_t clock_{};
  bool measurable_ = false;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::int64_t cpu_ns_ = 0;
};

bool has_ended(const JvmProcess& jvm) {
  const auto stat = read_proc_stat(fmt::format("/proc/{}/stat", jvm.pid()));
  return !stat || stat->state == 'Z';
}

// By SIGSTOP or a debugger: it would get SIGQUIT later, and print a thread dump.
bool is_stopped(const JvmProcess& jvm) {
  const auto stat = read_proc_stat(fmt::format("/proc/{}/stat", jvm.pid()));
  return stat && (stat->state == 'T' || stat->state == 't');
}

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

// HotSpot creates the socket with mode 0600 as its own user. Anybody may have put another one into
// /tmp.
std::optional<Error> check_socket_file(const std::string& path, const JvmProcess& jvm) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return errno_error(path);
  const std::string refused = "; it is not the attach socket of " + name_of(jvm);
  if (!S_ISSOCK(status.st_mode)) return Error{path + " is no socket" + refused};
  if (status.st_uid != jvm.owner()) {
    return Error{path + " belongs to " + user_text(status.st_uid) + refused};
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error{path + " is open to other users" + refused};
  }
  return {};
}

// The process that listens there.
std::optional<Error> check_listener(int fd, const JvmProcess& jvm) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return errno_error("who holds the attach socket is not known");
  }
  if (peer.pid == jvm.pid() && peer.uid == jvm.owner()) return {};
  return Error{"the attach socket of " + name_of(jvm) + " is held by process " +
               std::to_string(peer.pid) + " of " + user_text(peer.uid)};
}

std::string attach_socket_name(const JvmProcess& jvm) { return ".java_pid" + jvm.own_pid(); }

// As the JVM sees it.
std::string attach_socket_of(const JvmProcess& jvm) {
  return jvm.temp_directory() + "/" + attach_socket_name(jvm);
}

// What has been read of a JVM that was just starting is looked at again until it is ready, or until
// there is no hope of that: open_socket() then says why.
Result<JvmProcess> once_started(JvmProcess jvm, bool until_interrupted) {
  const auto deadline = std::chrono::steady_clock::now() + kStartTime;
  while (jvm.is_starting() && !exists(jvm.path(attach_socket_of(jvm))) &&
         std::chrono::steady_clock::now() < deadline && !(until_interrupted && interrupted())) {
    std::this_thread::sleep_for(kLook);
    auto now = JvmProcess::find(jvm.pid());
    if (!now) return now;
    jvm = std::move(*now);
  }
  return jvm;
}

// SIGQUIT makes the JVM listen; one that does not take attach requests prints a thread dump on the
// program's output instead, so that is checked first.
std::optional<Error> open_socket(const JvmProcess& jvm, const std::string& socket_path,
                                 JvmWait& waiting) {
  if (exists(socket_path)) return {};
  if (waiting.interrupted()) return waiting.interruption();
  if (const std::string obstacle = jvm.attach_obstacle(); !obstacle.empty()) {
    return Error{name_of(jvm) + " " + obstacle};
  }
  if (!jvm.catches_sigquit()) {
    return Error{name_of(jvm) +
                 " does not catch SIGQUIT: it is still starting, or was started with -Xrs"};
  }
  if (is_stopped(jvm)) return Error{name_of(jvm) + " is stopped; kill -CONT lets it go on"};
  // The JVM searches its directory and its temporary one, in this order.
  TriggerFile trigger(
      {"/proc/" + std::to_string(jvm.pid()) + "/cwd", jvm.path(jvm.temp_directory())},
      ".attach_pid" + jvm.own_pid(), jvm.owner(), jvm.group());
  if (trigger.error()) {
    return Error{"cannot ask " + name_of(jvm) + " to listen: " + trigger.error()->message};
  }
  if (kill(jvm.pid(), SIGQUIT) != 0) return errno_error("cannot signal " + name_of(jvm));
  auto deadline = std::chrono::steady_clock::now() + kSocketTime;
  bool interrupted = false;
  while (!exists(socket_path)) {
    if (has_ended(jvm)) return Error{name_of(jvm) + " has ended"};
    if (!interrupted && waiting.interrupted()) {
      interrupted = true;
      deadline = std::min(deadline, std::chrono::steady_clock::now() + kInterruptedTime);
    }
    // Whoever gets SIGQUIT later and finds no file prints a thread dump on the program's output.
    if (std::chrono::steady_clock::now() > deadline) {
      trigger.leave();
      if (interrupted) return waiting.interruption();
      return Error{name_of(jvm) + " does not answer; is it stopped?"};
    }
    if (waiting.suspended()) {
      trigger.leave();
      return Error{name_of(jvm) + " stands still; a debugger holds its threads, it seems"};
    }
    std::this_thread::sleep_for(kLook);
  }
  return {};
}

// Sends a request and returns all that the JVM sends until it closes the connection.
Result<std::string> exchange(int fd, std::string_view request, JvmWait& waiting) {
  std::string answer;
  std::array<char, 4096> buffer;
  auto deadline = std::chrono::steady_clock::now() + kAnswerTime;
  for (;;) {
    if (waiting.interrupted()) return waiting.interruption();
    const bool sends = !request.empty();
    pollfd polled{fd, static_cast<short>(sends ? POLLOUT : POLLIN), 0};
    if (poll(&polled, 1, static_cast<int>(kPollInterval.count())) <= 0) {
      if (waiting.suspended()) return waiting.suspension_error();
      if (std::chrono::steady_clock::now() < deadline) continue;
      return Error{"the JVM has not answered within " + std::to_string(kAnswerTime.count() / 1000) +
                   " s"};
    }
    const ssize_t size = sends
                             ? send(fd, request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                             : recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) return errno_error(sends ? "writing to the JVM" : "reading from the JVM");
    if (size == 0 && !sends) return answer;
    deadline = std::chrono::steady_clock::now() + kAnswerTime;
    if (sends) {
      request.remove_prefix(static_cast<std::size_t>(size));
    } else {
      answer.append(buffer.data(), static_cast<std::size_t>(size));
    }
  }
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// None if the answer is "0\n" with the agent's own "return code: 0"; else the error.
std::optional<Error> load_error(const std::string& answer) {
  constexpr std::string_view kReturnCode = "return code: ";
  const std::size_t line = answer.find('\n');
  const std::string text = line == std::string::npos ? "" : one_line(answer.substr(line + 1));
  if (answer.substr(0, line) != "0") {
    return Error{"the JVM refused: " + (text.empty() ? one_line(answer) : text)};
  }
  if (text.starts_with(kReturnCode) && text != std::string(kReturnCode) + "0") {
    return Error{std::string(kAgentRefused) + " (" + text +
                 "); the reason is on the stderr of the program"};
  }
  if (!text.empty() && !text.starts_with(kReturnCode)) return Error{"the JVM refused: " + text};
  return {};
}

}  // namespace

Result<std::string> agent_path(const std::string& given) {
  std::error_code wrong;
  std::filesystem::path path = given;
  if (given.empty()) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe", wrong);
    if (wrong) return Error{"/proc/self/exe: " + errno_text(wrong.value())};
    path = self.parent_path() / "../lib/libddmagent.so";
  }
  const auto whole = std::filesystem::canonical(path, wrong);
  if (!wrong) return whole.string();
  return Error{"the agent, " + path.string() + ": " + errno_text(wrong.value()) +
               "; name it with --agent"};
}

namespace {

// A JVM accepts its own user and root; in a user namespace of its own the outer root is nobody, so
// the connection is made from inside.
Result<FileDescriptor> connect_to_jvm(const JvmProcess& jvm, const std::string& socket_path) {
  if (!in_other_namespace(jvm.pid(), "user")) {
    Address address{Address::Kind::kUnix, "", 0, socket_path};
    FileDescriptor directory;
    if (socket_path.size() >= sizeof(sockaddr_un::sun_path)) {  // its directory has a short name
      directory = FileDescriptor(
          open(jvm.path(jvm.temp_directory()).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!directory.valid()) return errno_error(socket_path);
      address.path =
          "/proc/self/fd/" + std::to_string(directory.get()) + "/" + attach_socket_name(jvm);
    }
    return connect_to(address, kSocketTime);
  }
  const Address address{Address::Kind::kUnix, "", 0, attach_socket_of(jvm)};
  return connect_inside(jvm.pid(), jvm.owner(), jvm.group(), address, kSocketTime);
}

// The JVM's answer to a request with these parts.
Result<std::string> ask_jvm(const JvmProcess& found, std::initializer_list<std::string_view> parts,
                            bool until_interrupted = false) {
  const auto started = once_started(found, until_interrupted);
  if (!started) return started.error();
  const JvmProcess& jvm = *started;
  const std::string socket_path = jvm.path(attach_socket_of(jvm));
  JvmWait waiting(jvm, until_interrupted);
  if (auto error = open_socket(jvm, socket_path, waiting)) return *error;
  if (auto error = check_socket_file(socket_path, jvm)) return *error;
  auto socket = connect_to_jvm(jvm, socket_path);
  if (!socket) return socket.error();
  if (auto error = check_listener(socket->get(), jvm)) return *error;
  std::string request;
  for (const std::string_view part : parts) {
    request += part;
    request += '\0';
  }
  auto answer = exchange(socket->get(), request, waiting);
  if (answer && answer->empty()) {
    return Error{name_of(jvm) + (has_ended(jvm) ? " has ended" : " closed the connection")};
  }
  return answer;
}

}  // namespace

std::optional<Error> load_agent(const JvmProcess& jvm, const std::string& library,
                                const std::string& options) {
  catch_interrupts();  // so that the copy and the trigger file do not stay behind
  const auto copy = AgentCopy::make(jvm, library);
  if (!copy) return copy.error();
  const auto answer =
      ask_jvm(jvm, {"1", "load", copy->path(), "true", options}, /*until_interrupted=*/true);
  if (!answer) return answer.error();
  return load_error(*answer);
}

// "0\n", a head, and lines " 1:   4711   123456  [B (java.base@17)".
Result<ClassHistogram> class_histogram(const JvmProcess& jvm) {
  // ZGC and Shenandoah do not collect for a histogram; they count the reachable objects.
  const auto heap = ask_jvm(jvm, {"1", "jcmd", "GC.heap_info", "", ""});
  if (!heap) return heap.error();
  const auto answer = ask_jvm(jvm, {"1", "inspectheap", "-live", "", ""});
  if (!answer) return answer.error();
  if (!answer->starts_with("0\n")) return Error{"the JVM refused: " + one_line(*answer)};
  ClassHistogram classes;
  classes.collected = heap->starts_with("0\n") && heap->find("ZHeap") == std::string::npos &&
                      heap->find("Shenandoah") == std::string::npos;
  std::istringstream lines(*answer);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, name;
    std::int64_t count = 0, bytes = 0;
    if (!(words >> number >> count >> bytes >> name) || !number.ends_with(':')) continue;
    classes.counts[name.starts_with("[") ? type_name_of(name) : name] += count;
  }
  return classes;
}

}  // namespace ddm
