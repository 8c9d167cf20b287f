// A Server's options, and its observers.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/log.h"
#include "wire/chunks/session.h"
#include "wire/sockets/address.h"
#include "wire/sockets/peer_check.h"

namespace ddm {

enum class Compression {
  kAuto,    // ZLIB only to a peer that has sent ZLIB on this connection
  kAlways,  // whenever it makes a chunk smaller
  kNever,
};

using Log = std::function<void(LogLevel, const std::string&)>;
// Reports a refused peer.
using OnRefusedPeer = std::function<void(const std::string&)>;

// Called on the I/O thread; must not block.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  // The first DDM packet of a connection was received and is dispatched next.
  virtual void connected(const SessionPtr& session) = 0;
  // The connection was closed; only after connected().
  virtual void disconnected(const SessionPtr& session) = 0;
};

// The debugger back end of the DDM connections. Called on the I/O thread; must not block.
class DebuggerLink {
 public:
  virtual ~DebuggerLink() = default;
  // A complete JDWP command that is not DDM. False: rejected, and the peer gets error 99. The back
  // end's packets are sent by session->send(), on any thread.
  virtual bool packet(const SessionPtr& session, ByteSpan bytes) = 0;
  // The connection was closed; called for every connection, whether it has sent packets or not.
  virtual void closed(const SessionPtr& session) = 0;
};

// A session that exceeds its unanswered requests, or whose send queue has no room, is not read
// until half of the requests are answered and there is room. A session that overflows its queue
// nevertheless, or reads nothing within unread_time, is closed. When all sessions together exceed
// their limits, the one that has been a burden longest is closed.
struct ServerLimits {
  std::size_t max_sessions = 64;
  std::size_t max_packet = std::size_t{16} << 20;  // received
  // Per session.
  std::size_t max_requests = 256;  // unanswered
  std::size_t max_request_bytes = std::size_t{8} << 20;
  std::size_t max_queue = std::size_t{4} << 20;  // outgoing bytes; "room" is a quarter of it
  // For all sessions together.
  std::size_t max_memory = std::size_t{24} << 20;
  std::size_t max_stored = std::size_t{1} << 30;  // StoredData
  std::chrono::milliseconds handshake_time{10'000};
  std::chrono::milliseconds packet_time{60'000};  // for a packet, while it is read
  std::chrono::milliseconds unread_time{60'000};
};

struct ServerOptions {
  Address address;
  bool connect_out = false;  // server=n: connects to `address` repeatedly
  Access access = Access::kUser;
  Compression compression = Compression::kAuto;
  ServerLimits limits;
  SessionObserver* observer = nullptr;  // both outlive the Server
  DebuggerLink* debugger = nullptr;
  Log log;  // any thread
};

}  // namespace ddm
