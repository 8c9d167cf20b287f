// Presents the JVMs of this user as one Android device to adb and to tools that use adb.
//
// `adb connect 127.0.0.1:PORT` reaches it. Loopback only, and only processes of this user (or
// root's) get in: the same check as the agent's own.
#pragma once

#include <list>

#include "bridge/transport.h"
#include "wire/sockets/listener.h"

namespace ddm {

class Bridge {
 public:
  static Result<Bridge> open(std::uint16_t port);  // 0: any free one

  const Address& address() const { return listener_.bound(); }

  // Runs until poll() fails, which does not happen.
  Error run();

 private:
  explicit Bridge(Listener listener);
  void turn(const std::vector<pollfd>& polled);
  int poll_time() const;
  void accept_all();

  Listener listener_;
  std::unique_ptr<TargetWatch> targets_;  // streams keep a reference, so it does not move
  std::unique_ptr<Services> services_;
  std::list<Transport> transports_;
  Transport::Clock::time_point next_refresh_;
  Transport::Clock::time_point accept_again_;  // after running out of descriptors
  Transport::Clock::time_point repeat_at_ = Transport::Clock::time_point::max();
};

}  // namespace ddm
