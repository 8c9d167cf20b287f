#include "containers/agent_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "containers/inside.h"
#include "core/random_number.h"

namespace ddm {
namespace {

constexpr std::string_view kAgentFile = "libddmagent.so";

// Whether the JVM has this very file under this very name.
bool sees_agent(const JvmProcess& jvm, const std::string& library) {
  const auto theirs = open_inside(jvm.pid(), library, O_PATH);
  struct stat here {
  }, there{};
  return theirs && stat(library.c_str(), &here) == 0 && fstat(theirs->get(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

// "" or why the VM could load nothing from there.
std::string directory_error(int directory) {
  struct statvfs mounted {};
  if (fstatvfs(directory, &mounted) != 0) return errno_text(errno);
  if ((mounted.f_flag & ST_RDONLY) != 0) return "it is read-only";
  if ((mounted.f_flag & ST_NOEXEC) != 0) return "it is mounted noexec";
  return "";
}

std::optional<Error> copy_into(int directory, const std::string& library, const JvmProcess& jvm) {
  const FileDescriptor from(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!from.valid() || fstat(from.get(), &status) != 0) return errno_error(library);
  const FileDescriptor to(openat(directory, std::string(kAgentFile).c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0500));
  if (!to.valid()) return errno_error("the copy of " + library);
  for (off_t done = 0; done < status.st_size;) {
    const ssize_t size =
        sendfile(to.get(), from.get(), &done, static_cast<std::size_t>(status.st_size - done));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return errno_error("the copy of " + library);
  }
  // root's copy must be readable by the JVM's user.
  if (geteuid() == 0 && fchown(to.get(), jvm.owner(), jvm.group()) != 0) {
    return errno_error("the copy of " + library);
  }
  return {};
}

void remove_copy(int above, const std::string& name) {
  const FileDescriptor directory(
      openat(above, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory.valid()) unlinkat(directory.get(), std::string(kAgentFile).c_str(), 0);
  unlinkat(above, name.c_str(), AT_REMOVEDIR);
}

// Creates a private directory with a copy of the library in it.
Result<std::string> make_copy(const JvmProcess& jvm, const std::string& place,
                              const std::string& library) {
  const auto above = open_inside(jvm.pid(), place, O_RDONLY | O_DIRECTORY);
  if (!above) return above.error();
  if (const std::string fault = directory_error(above->get()); !fault.empty()) {
    return Error{place + ": " + fault};
  }
  const auto number = random_number();
  if (!number) return errno_error("no random number for a directory's name");
  const std::string name = fmt::format(".ddm-agent-{:016x}", *number);
  if (mkdirat(above->get(), name.c_str(), S_IRWXU) != 0) return errno_error(place);
  const FileDescriptor directory(
      openat(above->get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  std::optional<Error> failed;
  if (!directory.valid()) failed = errno_error(place);
  if (!failed) failed = copy_into(directory.get(), library, jvm);
  if (!failed && geteuid() == 0 && fchown(directory.get(), jvm.owner(), jvm.group()) != 0) {
    failed = errno_error(place);
  }
  if (!failed) return place + "/" + name;
  remove_copy(above->get(), name);
  return Error{place + ": " + failed->message};
}

}  // namespace

Result<AgentCopy> AgentCopy::make(const JvmProcess& jvm, const std::string& library) {
  // The VM identifies a loaded library by its path, even if the file is deleted.
  if (!jvm.loaded_agent().empty()) return AgentCopy(jvm.pid(), jvm.loaded_agent());
  if (sees_agent(jvm, library)) return AgentCopy(jvm.pid(), library);
  std::string tried;
  for (const char* const place : {"/tmp", "/dev/shm", "/var/tmp", "/run"}) {
    auto directory = make_copy(jvm, place, library);
    if (directory) {
      AgentCopy copy(jvm.pid(), *directory + "/" + std::string(kAgentFile));
      copy.directory_ = std::move(*directory);
      return copy;
    }
    tried += (tried.empty() ? "" : "; ") + directory.message();
  }
  return Error{fmt::format(
      "process {} has other files than this command, and no place to load a copy of the agent from "
      "({}). Give it a volume that is neither read-only nor noexec at /tmp (an emptyDir; medium "
      "Memory will do), or start it with the agent in its image: examples/kubernetes",
      jvm.pid(), tried)};
}

AgentCopy::AgentCopy(AgentCopy&& other) noexcept
    : pid_(other.pid_),
      path_(std::move(other.path_)),
      directory_(std::exchange(other.directory_, {})) {}

AgentCopy::~AgentCopy() {
  if (directory_.empty()) return;
  const std::size_t slash = directory_.rfind('/');
  const auto above = open_inside(pid_, directory_.substr(0, slash), O_PATH | O_DIRECTORY);
  if (above) remove_copy(above->get(), directory_.substr(slash + 1));
}

}  // namespace ddm
