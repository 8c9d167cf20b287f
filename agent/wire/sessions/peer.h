// One end of a connection, as the I/O loop serves it. All of it on the I/O thread, and none of it
// waits for anything.
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

  // What is waited for; with a negative descriptor nothing is, not even the connection's end.
  virtual pollfd polled() const = 0;
  // When it wants a turn though nothing has come.
  virtual Clock::time_point deadline() const = 0;
  // There is something to be read: reads once. False: the connection has to be ended.
  virtual bool read() = 0;
  // One turn, behind that. False: likewise.
  virtual bool serve(Clock::time_point now) = 0;
  // Writes what the socket takes at once: the connection ends.
  virtual void flush() = 0;
  // Ends it; tells whoever wants to know of that if `tell`.
  virtual void end(bool tell) = 0;

  // What it makes us hold, and since when that has been more than a little.
  struct Burden {
    std::size_t memory = 0;
    std::size_t stored = 0;
    Clock::time_point since;
  };
  virtual Burden burden() const { return {}; }
};

using PeerPtr = std::shared_ptr<Peer>;

}  // namespace ddm
