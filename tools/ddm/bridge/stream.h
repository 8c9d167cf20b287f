// A service that adb has opened on the device, as a stream of bytes in both directions.
//
// The transport asks take() for the next piece when the one before has been acknowledged, so a
// stream never has more than one packet on its way. For the bridge's one thread; nothing waits.
#pragma once

#include <string>

namespace ddm {

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

}  // namespace ddm
