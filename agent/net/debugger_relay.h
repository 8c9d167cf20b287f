// The way from a DDM connection to the VM's own jdwp agent and back, for one debugger at a time.
//
// A connection's first command that is not DDM makes it the debugger's: from then on its JDWP
// packets go to the back end as they are, ids included, and what the back end says goes to it. A
// thread of the relay's own finds the back end, connects and carries; it begins with the first
// debugger. When the connection closes, or its server says that the debugger has gone (DBGD), the
// link to the back end is closed, which is how a jdwp agent learns that it may let the program run.
//
// The thread knows no VM, so a debugger that has suspended all of the VM's threads is served on.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ddm/packet.h"
#include "net/server_options.h"
#include "net/waker.h"
#include "sockets/file_descriptor.h"

namespace ddm {

class DebuggerRelay final : public DebuggerLink {
 public:
  struct Backend {
    std::vector<Address> places;   // where it listens, best guess first
    Access access = Access::kAny;  // kUser: a process of another user is not it
  };
  // Called on the relay's thread for every debugger. The error says why there is none.
  using Find = std::function<Result<Backend>()>;
  using Log = std::function<void(Severity, const std::string&)>;

  DebuggerRelay(Find find, Log log) : find_(std::move(find)), log_(std::move(log)) {}
  ~DebuggerRelay() override { stop(); }

  // I/O thread.
  bool packet(const SessionPtr& session, ByteSpan bytes) override;
  void closed(const SessionPtr& session) override { detach(session); }

  // The session goes on without its debugger. Any thread; never waits.
  void detach(const SessionPtr& session);

  // Any thread but the relay's. Returns as soon as find() does, if that is running.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Link;

  void run();
  void serve(const SessionPtr& session);
  Result<FileDescriptor> connect_to_backend(const SessionPtr& session);
  Result<FileDescriptor> try_backend(const SessionPtr& session);
  std::optional<Error> shake_hands(int fd, const SessionPtr& session);
  void carry(FileDescriptor backend, const SessionPtr& session);
  bool send_waiting(Link& link);
  bool receive(Link& link, const SessionPtr& session);
  bool pass_on(Bytes packet, const SessionPtr& session);
  // The session is still the debugger's, and since the same attachment.
  bool attached(const SessionPtr& session);
  // Every command that waits gets error 99, and the session is the debugger's no more.
  void give_up(const SessionPtr& session);

  const Find find_;
  const Log log_;

  std::mutex mutex_;
  SessionPtr session_;         // who has the debugger
  bool fresh_ = false;         // session_ has no link yet
  std::deque<Bytes> waiting_;  // commands for the back end
  std::size_t waiting_bytes_ = 0;
  bool stopped_ = false;
  std::shared_ptr<Waker> waker_;
  std::thread thread_;

  Clock::time_point last_link_{};  // when it ended; the thread's own
};

}  // namespace ddm
