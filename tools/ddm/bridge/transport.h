// One adb server that is connected to the device: its packets, its streams.
//
// For the bridge's one thread; nothing waits. The peer has been checked. A peer that does not read
// is not read from either, so what is queued for it stays bounded.
#pragma once

#include <poll.h>

#include <chrono>
#include <map>

#include "bridge/adb_packet.h"
#include "bridge/services.h"
#include "core/file_descriptor.h"

namespace ddm {

class Transport {
 public:
  using Clock = std::chrono::steady_clock;

  Transport(FileDescriptor socket, Services& services);

  // Appends the descriptors to poll: its own socket first, then those of its streams.
  void add_polled(std::vector<pollfd>& polled) const;
  // The same entries, in the same order, after poll(). False: this transport has to be ended.
  bool on_ready(const pollfd*& polled);

  // Sends what the streams have. False as above.
  bool pump();

  // Why the transport must be closed; "": the peer has closed.
  const std::string& problem() const { return problem_; }

  // Until adb has said CNXN.
  Clock::time_point deadline() const { return deadline_; }

 private:
  struct OpenStream {
    std::uint32_t remote_id = 0;
    std::unique_ptr<Stream> stream;
    bool waiting = false;      // for the acknowledgement of data sent
    bool owes_answer = false;  // to the last data received
  };
  using Streams = std::map<std::uint32_t, OpenStream>;

  bool read();
  bool write();
  bool handle(AdbPacket packet);
  bool connect(const AdbPacket& packet);
  void open(const AdbPacket& packet);
  void send(const AdbPacket& packet);
  bool may_take(const OpenStream& stream) const;
  Streams::iterator close(Streams::iterator at);
  bool fail(std::string problem);

  FileDescriptor socket_;
  Services& services_;
  AdbReader reader_;
  std::string out_;
  Streams streams_;  // by our id
  std::uint32_t last_id_ = 0;
  std::size_t max_payload_ = kAdbMaxPayload;
  bool connected_ = false;
  bool checksums_ = true;
  std::string problem_;
  Clock::time_point deadline_;
};

}  // namespace ddm
