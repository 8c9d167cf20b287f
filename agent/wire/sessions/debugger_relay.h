// The way from a DDM connection to the VM's own jdwp agent and back, for one debugger at a time.
//
// A connection's first command that is not DDM makes it the debugger's: from then on its JDWP
// packets go to the back end as they are, ids included, and what the back end says goes to it. A
// thread of the relay's own finds the back end, connects and carries; it begins with the first
// debugger. When the connection closes, or its server says that the debugger has gone (DBGD), the
// link to the back end is closed, which is how a jdwp agent learns that it may let the program run.
//
// The thread knows no VM, so a debugger that has suspended all of the VM's threads is served on. It
// waits for nothing but its sockets and its waker, so stop() finds it at once, whatever the back
// end or a name server does.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "core/file_descriptor.h"
#include "core/waker.h"
#include "wire/chunks/packet.h"
#include "wire/sessions/server_options.h"

namespace ddm {

class DebuggerRelay final : public DebuggerLink {
 public:
  struct Backend {
    std::vector<Address> places;   // where it listens, best guess first
    Access access = Access::kAny;  // kUser: a process of another user is not it
  };
  // Called on the relay's thread for every debugger; must not wait, but rings the waker when the
  // answer is there. The error says why there is no back end.
  using Find = std::function<std::future<Result<Backend>>(const std::shared_ptr<Waker>&)>;
  using Log = std::function<void(Severity, const std::string&)>;

  DebuggerRelay(Find find, Log log) : find_(std::move(find)), log_(std::move(log)) {}
  ~DebuggerRelay() override { stop(); }

  // I/O thread.
  bool packet(const SessionPtr& session, ByteSpan bytes) override;
  void closed(const SessionPtr& session) override { detach(session); }

  // The session goes on without its debugger. Any thread; never waits.
  void detach(const SessionPtr& session);

  // Any thread but the relay's: microseconds.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Link;

  // One debugger, from its first command until it goes or is turned away.
  struct Debugger {
    explicit Debugger(SessionPtr its_session) : session(std::move(its_session)) {}
    const SessionPtr session;
    std::deque<Bytes> waiting;  // commands for the back end; guarded by mutex_
    std::size_t waiting_bytes = 0;
  };
  using DebuggerPtr = std::shared_ptr<Debugger>;

  void run();
  void serve(const DebuggerPtr& debugger);
  Result<FileDescriptor> connect_to_backend(const DebuggerPtr& debugger);
  Result<FileDescriptor> try_backend(const DebuggerPtr& debugger);
  Result<FileDescriptor> connect(const Address& place, const DebuggerPtr& debugger);
  std::optional<Error> shake_hands(int fd, const DebuggerPtr& debugger);
  // Until `ready()`, which is asked again whenever the waker rings or `fd` (-1: none) has `events`.
  // The error: the debugger has gone, or the time is over.
  std::optional<Error> await(const DebuggerPtr& debugger, Clock::duration limit, int fd,
                             short events, const std::function<bool()>& ready);
  // Until the link ends. False: without the debugger's asking.
  bool carry(FileDescriptor backend, const DebuggerPtr& debugger);
  bool send_waiting(Link& link, const DebuggerPtr& debugger);
  bool receive(Link& link, const DebuggerPtr& debugger);
  bool pass_on(Bytes packet, const DebuggerPtr& debugger);
  bool attached(const DebuggerPtr& debugger);
  // Its link has ended as it should; what it has said since is another one's.
  void unlink(const DebuggerPtr& debugger);
  // Every command that waits gets error 99, and the session has no debugger any more.
  void give_up(const DebuggerPtr& debugger);

  const Find find_;
  const Log log_;

  std::mutex mutex_;
  DebuggerPtr debugger_;  // who is attached; the thread serves nobody else
  bool stopped_ = false;
  std::shared_ptr<Waker> waker_;
  std::thread thread_;

  Clock::time_point last_link_{};  // when it ended; the thread's own
};

}  // namespace ddm
