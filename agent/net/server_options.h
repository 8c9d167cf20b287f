// How a Server is to behave, and whom it tells.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "ddm/session.h"
#include "sockets/address.h"
#include "sockets/peer_check.h"

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
  // end sends goes to session->send_packet(), from any thread.
  virtual bool packet(const SessionPtr& session, ByteSpan bytes) = 0;
  // The connection is closed. Told of every one, whether it has sent packets or not.
  virtual void closed(const SessionPtr& session) = 0;
};

struct ServerLimits {
  std::size_t max_packet = std::size_t{16} << 20;  // received
  std::size_t max_queue = std::size_t{16} << 20;   // waiting to be sent; see SendQueue
  std::size_t max_sessions = 64;
  // A session that has this much unanswered is read again when half of it is answered.
  std::size_t max_requests = 256;
  std::size_t max_request_bytes = std::size_t{32} << 20;
  std::chrono::milliseconds handshake_time{10'000};
  std::chrono::milliseconds packet_time{60'000};  // from a packet's first byte to its last
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
