// Relays a DDM connection to the VM's own jdwp agent, for one debugger at a time.
//
// A connection's first command that is not DDM makes it the debugger's: from then on its JDWP
// packets are forwarded to the back end unchanged, ids included, and the back end's packets to it.
// The relay's own thread finds the back end, connects and relays; it starts with the first
// debugger. When the connection closes, or its server reports the debugger's end (DBGD), the link
// to the back end is closed, upon which a jdwp agent resumes the program.
//
// The thread is unknown to the VM, so a debugger that has suspended all threads is still served. It
// only blocks on its sockets and its waker, so stop() ends it at once, whatever the back end or a
// name server does.
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
    std::vector<Address> places;   // where it listens, most likely first
    Access access = Access::kAny;  // kUser: a process of another user is rejected
    bool starts = false;           // there are no places yet, but may be soon
  };
  // Called on the relay's thread for every debugger; must not block, and wakes the waker when the
  // future is ready. The error says why there is no back end.
  using Find = std::function<std::future<Result<Backend>>(const std::shared_ptr<Waker>&)>;

  DebuggerRelay(Find find, Log log) : find_(std::move(find)), log_(std::move(log)) {}
  ~DebuggerRelay() override { stop(); }

  // I/O thread.
  bool packet(const SessionPtr& session, ByteSpan bytes) override;
  void closed(const SessionPtr& session) override { detach(session); }

  // Detaches the debugger; the session stays open. Any thread; never blocks.
  void detach(const SessionPtr& session);

  // Any thread but the relay's; takes microseconds.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Link;

  // One debugger, from its first command until it detaches or is rejected.
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
  // Blocks until `ready()`, evaluated whenever the waker is woken or `fd` (-1: none) has `events`.
  // The error: the debugger has detached, or the limit has expired.
  std::optional<Error> await(const DebuggerPtr& debugger, Clock::duration limit, int fd,
                             short events, const std::function<bool()>& ready);
  // Relays until the link ends. False: the back end closed it unasked.
  bool carry(FileDescriptor backend, const DebuggerPtr& debugger);
  bool send_waiting(Link& link, const DebuggerPtr& debugger);
  bool receive(Link& link, const DebuggerPtr& debugger);
  bool pass_on(Bytes packet, const DebuggerPtr& debugger);
  bool attached(const DebuggerPtr& debugger);
  // The link ended properly; commands queued since start a new debugger.
  void unlink(const DebuggerPtr& debugger);
  // Answers every queued command with error 99 and detaches the debugger.
  void give_up(const DebuggerPtr& debugger);

  const Find find_;
  const Log log_;

  std::mutex mutex_;
  DebuggerPtr debugger_;  // the attached debugger, the only one that the thread serves
  bool stopped_ = false;
  std::shared_ptr<Waker> waker_;
  std::thread thread_;

  const Clock::time_point born_ = Clock::now();
  // The next two are accessed by the relay's thread only.
  Clock::time_point last_link_{};  // when the last link ended
  bool starts_ = false;            // the back end was last seen starting
};

}  // namespace ddm
