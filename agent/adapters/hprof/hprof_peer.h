// The other end of net=: connects out once, sends what it is given and hands on the commands that
// come back. All of it on an I/O thread of its own, which the VM does not know; nobody ever waits
// for the network but finish(), within its limits.
//
// To this machine it sends nothing before it knows that the peer is of the same user, or root.
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
  using OnCommand = std::function<void(HprofCommand)>;  // on the I/O thread; must not wait
  using Tell = std::function<void(std::string_view)>;   // one line for people; any thread

  static Result<std::shared_ptr<HprofPeer>> start(const Address& address, OnCommand on_command,
                                                  Tell tell);

  // In order, at once or when there is a connection. Dropped when it is lost, and never again after
  // a peer has left more than so much unread.
  static constexpr std::size_t kMostUnread = std::size_t{64} << 20;
  void send(std::string_view data);
  void send(std::shared_ptr<const StoredData> data);
  bool connected_or_connecting() const { return queue_.is_open(); }

  // A command has been seen to: while too many are not, no more are read.
  void command_done();

  // Everything has been taken by the network. False: not within `limit`, or nothing was taken for
  // `stall`.
  bool finish(std::chrono::milliseconds stall, std::chrono::milliseconds limit);

 private:
  static constexpr int kMostPending = 16;

  HprofPeer(Address address, std::shared_ptr<Waker> waker, OnCommand on_command, Tell tell)
      : address_(std::move(address)),
        waker_(std::move(waker)),
        on_command_(std::move(on_command)),
        tell_(std::move(tell)) {}

  void run();
  Result<FileDescriptor> connect();
  Result<FileDescriptor> connect_to_one(const struct SocketAddress& address);
  std::optional<Error> check_access(int fd);
  void serve(int fd);
  bool receive(int fd);
  void push(OutgoingPacket packet);
  void give_up(std::string_view why);

  const Address address_;
  const std::shared_ptr<Waker> waker_;
  const OnCommand on_command_;
  const Tell tell_;
  SendQueue queue_{kMostUnread, 0};
  HprofCommandReader commands_;
  std::atomic<int> pending_{0};
};

}  // namespace ddm
