#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "../net/temporary_directory.h"
#include "attach.h"

namespace ddm {
namespace {

constexpr const char* kTrigger = ".attach_pid1";
enum Exit { kClean = 0, kNoError = 1, kLeft = 2, kNoNamespace = 50 };

bool is_in(const TemporaryDirectory& directory) {
  struct stat status {};
  return lstat((directory / kTrigger).c_str(), &status) == 0;
}

bool told(const char* path, const std::string& text) {
  return (std::ofstream(path) << text).flush().good();
}

// Makes this process root of a user namespace that has no other user: nothing can be given away.
bool alone_in_namespace() {
  const std::string uid = std::to_string(geteuid()), gid = std::to_string(getegid());
  return unshare(CLONE_NEWUSER) == 0 && told("/proc/self/setgroups", "deny") &&
         told("/proc/self/uid_map", "0 " + uid + " 1") &&
         told("/proc/self/gid_map", "0 " + gid + " 1");
}

}  // namespace

TEST_CASE("A trigger file lies in the first directory that takes it, and goes with its object") {
  const TemporaryDirectory first, second;
  {
    const TriggerFile trigger({first.path() + "/missing", first.path(), second.path()}, kTrigger,
                              geteuid(), getegid());
    CHECK_FALSE(trigger.error());
    CHECK((is_in(first) && !is_in(second)));
  }
  CHECK_FALSE(is_in(first));
}

TEST_CASE("A trigger file goes although the path to it has ended") {
  const TemporaryDirectory parent;
  const std::string path = parent / "of", moved = parent / "moved";
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  {
    const TriggerFile trigger({path}, kTrigger, geteuid(), getegid());
    REQUIRE(rename(path.c_str(), moved.c_str()) == 0);
  }
  CHECK(rmdir(moved.c_str()) == 0);
}

TEST_CASE("A trigger file that cannot be given to the JVM's user stays in no directory") {
  const TemporaryDirectory first, second;
  const pid_t child = fork();
  if (child == 0) {
    if (!alone_in_namespace()) _exit(kNoNamespace);
    bool failed = false;
    {
      const TriggerFile trigger({first.path(), second.path()}, kTrigger, 1, 1);
      failed = trigger.error().has_value();
    }
    _exit(!failed ? kNoError : is_in(first) || is_in(second) ? kLeft : kClean);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoNamespace) {
    WARN("no user namespaces here: left out");
    return;
  }
  CHECK(WEXITSTATUS(status) == kClean);
}

}  // namespace ddm
