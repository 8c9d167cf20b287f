// The services that the device offers to adb: maps a service's name to a stream.
//
//   track-jdwp   pids, one a line, after a length of four hex digits; again after every change
//   jdwp         the same list once, without the length
//   jdwp:PID     the DDM port of that program, byte for byte
//   shell:...    see shell.h; also exec: and shell,v2:
//
// Everything else is refused. For the bridge's one thread.
#pragma once

#include <memory>
#include <string>

#include "bridge/target_watch.h"

namespace ddm {

// A service that adb has opened, as a stream of bytes in both directions. The transport asks take()
// for the next piece when the one before has been acknowledged, so a stream never has more than one
// packet on its way. Nothing waits.
class Stream {
 public:
  virtual ~Stream() = default;

  // The next bytes to send, at most `max`; "": none at the moment.
  virtual std::string take(std::size_t max) = 0;

  // No more data follows: close the stream once take() has returned the last piece.
  virtual bool ended() const = 0;

  // Data from adb. The next data is passed only after wants_data() is true again.
  virtual void put(std::string data) = 0;
  virtual bool wants_data() const { return true; }

  // A descriptor to be polled, -1 = none. `reading`: take() would be called now.
  virtual int fd() const { return -1; }
  virtual short events(bool /*reading*/) const { return 0; }
  virtual void on_ready(short /*revents*/) {}
};

class Services {
 public:
  explicit Services(TargetWatch& targets) : targets_(targets) {}

  // Null: unknown service, or the program cannot be reached.
  std::unique_ptr<Stream> open(std::string_view name);

  // A connection to a program that is still alive has ended since the last call. ddmlib reopens a
  // dropped program only after it receives a list.
  bool take_lost_connection() { return std::exchange(*lost_, false); }

 private:
  std::unique_ptr<Stream> open_vm(std::string_view pid);

  TargetWatch& targets_;
  std::shared_ptr<bool> lost_ = std::make_shared<bool>(false);
};

}  // namespace ddm
