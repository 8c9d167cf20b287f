// How a Server is to behave, and whom it tells.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "wire/chunks/session.h"
#include "wire/sockets/address.h"
#include "wire/sockets/peer_check.h"

namespace ddm {

enum class Compression {
  kAuto,    // ZLIB only to a server that has sent ZLIB on this connection
  kAlways,  // whenever it makes a chunk smaller
  kNever,
};

enum class Severity { kWarning, kInfo, kDebug };

// Told on the I/O thread, so it must not wait for anything.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  // The first DDM packet of a connection has come, and is handled next.
  virtual void connected(const SessionPtr& session) = 0;
  // The connection is closed; only after connected().
  virtual void disconnected(const SessionPtr& session) = 0;
};

// The debugger back end behind the DDM connections. Called on the I/O thread; must not wait.
class DebuggerLink {
 public:
  virtual ~DebuggerLink() = default;
  // A whole JDWP command that is not DDM. False: not taken, the peer gets error 99. What the back
  // end sends goes to session->send_packets(), from any thread.
  virtual bool packet(const SessionPtr& session, ByteSpan bytes) = 0;
  // The connection is closed. Told of every one, whether it has sent packets or not.
  virtual void closed(const SessionPtr& session) = 0;
};

// A session that asks more than it may have unanswered, or reads too little of the answers, is not
// read until it has half of them, or has room again. One that overflows its queue all the same, or
// takes nothing in unread_time, is closed. When all together hold more than they may, the one that
// has burdened us for the longest time is closed.
struct ServerLimits {
  std::size_t max_sessions = 64;
  std::size_t max_packet = std::size_t{16} << 20;  // received
  // Of each session.
  std::size_t max_requests = 256;  // unanswered
  std::size_t max_request_bytes = std::size_t{8} << 20;
  std::size_t max_queue = std::size_t{4} << 20;  // waiting to be sent; room is a quarter of it
  // Of all sessions.
  std::size_t max_memory = std::size_t{24} << 20;
  std::size_t max_stored = std::size_t{1} << 30;  // StoredData
  std::chrono::milliseconds handshake_time{10'000};
  std::chrono::milliseconds packet_time{60'000};  // from a packet's first byte to its last
  std::chrono::milliseconds unread_time{60'000};
};

struct ServerOptions {
  Address address;
  bool connect_out = false;  // server=n: connect to `address`, again and again
  Access access = Access::kUser;
  Compression compression = Compression::kAuto;
  ServerLimits limits;
  SessionObserver* observer = nullptr;  // both outlive the Server
  DebuggerLink* debugger = nullptr;
  std::function<void(Severity, const std::string&)> log;  // any thread
};

}  // namespace ddm
