// One connected DDM server, as chunk handlers see it.
//
// Any thread may call anything at any time; nothing blocks except wait_for_room(). What is sent to
// a closed session is dropped. The modes end with the session.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "wire/chunks/heap_info.h"
#include "wire/chunks/heap_regions.h"
#include "wire/chunks/heap_segments.h"
#include "wire/chunks/packet.h"

namespace ddm {

// The events that this server has requested. Fields are independent, hence plain atomics.
struct SessionModes {
  std::atomic<bool> thread_events{false};                          // THEN
  std::atomic<std::uint32_t> thread_status_millis{0};              // THST interval, 0 = none
  std::atomic<RegionDetail> regions{RegionDetail::kNone};          // HPRG
  std::atomic<HeapInfoWhen> heap_info_when{HeapInfoWhen::kNever};  // HPIF
  // kNow, here and above, is answered at once and never stored.
  std::atomic<MapSettings> java_maps{MapSettings{}};    // HPSG, HPSO
  std::atomic<MapSettings> native_maps{MapSettings{}};  // NHSG
  // When one of the last three was set: earlier collections send no events to it.
  std::atomic<std::chrono::steady_clock::time_point> collections_since{};
};

class Session {
 public:
  virtual ~Session() = default;

  virtual std::uint64_t id() const = 0;  // 1, 2, 3, ...; never reused
  virtual bool is_open() const = 0;

  // Sends a chunk that is no reply.
  virtual void send_event(Chunk chunk) = 0;

  // Sends complete packets unchanged: from the debugger back end, or an EventBundle.
  virtual void send(OutgoingPacket packets) = 0;

  // For a thread that relays data: blocks until the peer has read most of its queue. False: not
  // within `limit`, or the session is closed.
  virtual bool wait_for_room(std::chrono::milliseconds limit) = 0;

  // Whether the peer has read most of its queue. If not, optional events are not sent to it and its
  // requests wait.
  bool has_room() { return wait_for_room(std::chrono::milliseconds::zero()); }

  // Whether chunks may be sent as ZLIB.
  virtual bool takes_zlib() const = 0;

  // The I/O thread closes the connection at its next turn.
  virtual void close() = 0;

  SessionModes modes;

  // The peer has sent a ZLIB chunk, so it understands them.
  std::atomic<bool> understands_zlib{false};

  // Bytes of answers in memory that wait for the rest of their packet.
  std::atomic<std::size_t> answer_bytes{0};
};

using SessionPtr = std::shared_ptr<Session>;

}  // namespace ddm
