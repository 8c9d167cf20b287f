// One connection as the I/O loop serves it. Everything is called on the I/O thread, and must not
// block.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace ddm {

using Clock = std::chrono::steady_clock;

class Peer {
 public:
  virtual ~Peer() = default;

  // "127.0.0.1:40123", "a local process".
  virtual const std::string& name() const = 0;

  // What to poll for; a negative descriptor polls nothing, not even for the connection's end.
  virtual pollfd polled() const = 0;
  // When it needs a turn even without I/O.
  virtual Clock::time_point deadline() const = 0;
  // The socket is readable: reads once. False: the connection must be ended.
  virtual bool read() = 0;
  // One turn, after read(). False: the connection must be ended.
  virtual bool serve(Clock::time_point now) = 0;
  // Writes what the socket accepts, before the connection ends.
  virtual void flush() = 0;
  // Ends the connection; with `tell`, notifies its observer.
  virtual void end(bool notify) = 0;

  // What it makes the agent hold.
  struct Burden {
    std::size_t memory = 0;
    std::size_t stored = 0;
  };
  virtual Burden burden() const { return {}; }
  // Once a turn.
  void weigh(Clock::time_point now) {
    const Burden held = burden();
    if (held.memory + held.stored <= kLittle) last_light_ = now;
  }
  // Since when it has held more than a little.
  Clock::time_point burden_since() const { return last_light_; }

 private:
  static constexpr std::size_t kLittle = std::size_t{128} << 10;
  Clock::time_point last_light_ = Clock::now();
};

using PeerPtr = std::shared_ptr<Peer>;

}  // namespace ddm
