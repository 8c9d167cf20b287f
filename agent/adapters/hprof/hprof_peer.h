// The peer of net=: connects out once, sends the stream and passes on the commands that arrive, all
// on an I/O thread of its own that is not attached to the VM. Only finish() waits for the network,
// within its limits.
//
// A peer on this machine gets no data before it is known to run as the same user, or as root.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "adapters/hprof/hprof_commands.h"
#include "core/file_descriptor.h"
#include "core/waker.h"
#include "wire/sessions/send_queue.h"
#include "wire/sockets/address.h"

namespace ddm {

class HprofPeer : public std::enable_shared_from_this<HprofPeer> {
 public:
  using OnCommand = std::function<void(HprofCommand)>;   // on the I/O thread; must not block
  using Report = std::function<void(std::string_view)>;  // one line for people, from any thread

  static Result<std::shared_ptr<HprofPeer>> start(const Address& address, OnCommand on_command,
                                                  Report report);

  // Sends in order, from the moment of the connection on. Data is dropped once the connection is
  // lost, or once the peer has left more than a bound unread.
  static constexpr std::size_t kMostUnread = std::size_t{64} << 20;
  void send(std::string_view data);
  void send(std::shared_ptr<const StoredData> data);
  bool connected_or_connecting() const { return queue_.is_open(); }

  // The command that was passed on is done. The next one is passed on then, if no more than a bound
  // is left unread: a peer that asks for heap dumps and does not read them fills no disk.
  void command_done();

  // Waits until the network has accepted everything. False: not within `limit`, or nothing was
  // accepted for `stall`.
  bool finish(std::chrono::milliseconds stall, std::chrono::milliseconds limit);

 private:
  HprofPeer(Address address, std::shared_ptr<Waker> waker, OnCommand on_command, Report report)
      : address_(std::move(address)),
        waker_(std::move(waker)),
        on_command_(std::move(on_command)),
        report_(std::move(report)) {}

  void run();
  void serve(int fd);
  // `events`: of poll(). False: the connection has ended.
  bool receive(int fd, short events);
  void pass_on_command();
  void push(OutgoingPacket packet);
  void give_up(std::string_view why);
  void end_with(const std::string& reason);  // as give_up(), without the address in front

  const Address address_;
  const std::shared_ptr<Waker> waker_;
  const OnCommand on_command_;
  const Report report_;
  SendQueue queue_{kMostUnread, 0};
  std::atomic<bool> busy_{false};   // with a command
  std::atomic<bool> ended_{false};  // the peer sends no more

  // Used by the I/O thread only.
  Bytes received_;
  HprofCommandReader commands_;
};

}  // namespace ddm
