// What is told and kept when a program ends before its server has what it wants.
#include "file_at_end.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "interrupt.h"
#include "wire/sockets/listener.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

// Greets one client, and closes the connection at its first request.
class EndingVm {
 public:
  explicit EndingVm(const TargetProcess& process) : listener_(std::move(*Listener::open({}))) {
    thread_ = std::thread([this] { serve(); });
    client_.emplace(std::move(*DdmClient::connect(listener_.bound())));
    client_->belongs_to(process);
  }
  ~EndingVm() {
    client_.reset();
    thread_.join();
  }
  EndingVm(const EndingVm&) = delete;
  EndingVm& operator=(const EndingVm&) = delete;

  DdmClient& client() { return *client_; }
  std::string asked() { return client_->ask({chunk_type("QUES"), {}}).message(); }

 private:
  void serve() {
    pollfd ready{listener_.fd(), POLLIN, 0};
    if (poll(&ready, 1, 10'000) != 1) return;
    const FileDescriptor fd(accept(listener_.fd(), nullptr, nullptr));
    send(fd.get(), kHandshake.data(), kHandshake.size(), MSG_NOSIGNAL);
    std::array<char, 64> taken;
    recv(fd.get(), taken.data(), kHandshake.size(), MSG_WAITALL);
    recv(fd.get(), taken.data(), taken.size(), 0);
  }

  Listener listener_;
  std::thread thread_;
  std::optional<DdmClient> client_;
};

void write_file(const std::string& path, const char* text, std::time_t age = 0) {
  std::ofstream(path) << text;
  const timespec time{std::time(nullptr) - age, 0};
  const timespec times[2] = {time, time};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace

TEST_CASE("A connection ends since its program has ended, if that is known") {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  {
    EndingVm vm{TargetProcess(child)};
    CHECK(vm.asked() == "the program has ended");
  }
  waitpid(child, nullptr, 0);
  EndingVm vm{TargetProcess()};
  CHECK(vm.asked() == vm.client().name() + " has closed the connection");
}

// The status of a child that is interrupted while it does this. It makes its threads itself: TSan calls
// no handlers in the child of a process with several.
template <typename Work>
int status_of_interrupted(Work work) {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    catch_interrupts();
    _exit(write(ready[1], "", 1) == 1 && work() ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  for (const int end : ready) close(end);
  return status;
}

TEST_CASE("An interrupt ends the wait for the end of a program, but for one that came before") {
  const TargetProcess parent(getpid());
  const auto begin = std::chrono::steady_clock::now();
  CHECK(status_of_interrupted([&parent] {
          const bool ended = parent.ends_within(std::chrono::seconds(60));
          const auto later = std::chrono::steady_clock::now();
          return !ended && !parent.ends_within(std::chrono::seconds(1)) &&
                 std::chrono::steady_clock::now() - later >= std::chrono::seconds(1);
        }) == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("Who interrupts the wait for a file at the end is told where it will be") {
  CHECK(status_of_interrupted([] {
          EndingVm vm{TargetProcess(getpid())};
          const FileAtEnd file(vm.client(), "/tmp/x.html");
          for (int i = 0; i < 600 && !interrupted(); ++i) poll(nullptr, 0, 100);
          return file.path().starts_with("/tmp/.ddm-") &&
                 file.interruption().find(file.path()) != std::string::npos;
        }) == 0);
  EndingVm vm{TargetProcess(getpid())};
  const FileAtEnd file(vm.client(), "/tmp/x.html");
  REQUIRE(file.path().starts_with("/tmp/.ddm-"));
  CHECK(file.interruption().empty());
}

TEST_CASE(
    "A file at the end is beside the result, elsewhere if refused, and none without a process") {
  std::string directory = "/var/tmp/ddm-test-XXXXXX";
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  const std::string old = directory + "/.ddm-12ab-x.html", fresh = directory + "/.ddm-34cd-x.html",
                    other = directory + "/.ddm-agent-x.html";
  write_file(old, "old", 100'000);
  write_file(fresh, "another command's");
  write_file(other, "another matter", 100'000);
  {
    EndingVm vm{TargetProcess(getpid())};
    FileAtEnd file(vm.client(), directory + "/x.html");
    CHECK(access(old.c_str(), F_OK) != 0);
    CHECK(access(fresh.c_str(), F_OK) == 0);
    CHECK(access(other.c_str(), F_OK) == 0);
    CHECK(file.path().starts_with(directory + "/.ddm-"));
    CHECK(file.path().ends_with("-x.html"));
    write_file(file.path(), "text");
    std::string text;
    const auto take = [&](std::string_view piece) {
      text += piece;
      return true;
    };
    CHECK_FALSE(file.read(take));
    CHECK(text == "text");
    // Its user may have put a name of another file there.
    REQUIRE(link(file.path().c_str(), (directory + "/second").c_str()) == 0);
    CHECK(file.read(take));
    file.remove();
    CHECK(access(file.path().c_str(), F_OK) != 0);

    CHECK_FALSE(file.refused({"another server traces"}));
    CHECK(file.refused({"cannot write " + file.path() + ": Permission denied"}));
    CHECK(file.path().starts_with("/tmp/.ddm-"));
    while (file.refused({"cannot write " + file.path()})) {
    }
    CHECK(file.path().empty());
    CHECK_FALSE(file.lacking().empty());
    CHECK_FALSE(file.await());
  }
  for (const std::string& path : {fresh, other, directory + "/second"}) unlink(path.c_str());
  CHECK(rmdir(directory.c_str()) == 0);
  EndingVm vm{TargetProcess()};
  const FileAtEnd none(vm.client(), "x.html");
  CHECK(none.path().empty());
  CHECK(none.lacking() == "its process is not known here");
}
