// One connected DDM server, as the chunk handlers see it.
//
// Any thread may call anything, at any time; nothing waits, but for wait_for_room(). A session that
// is closed swallows what it is sent. Its modes end with it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "wire/chunks/heap_segments.h"

namespace ddm {

// What this server has asked to be told. Every field stands alone, so each is just atomic.
struct SessionModes {
  std::atomic<bool> thread_events{false};              // THEN
  std::atomic<std::uint32_t> thread_status_millis{0};  // THST interval, 0 = none
  std::atomic<std::uint8_t> heap_info_when{0};         // HPIF: 0 never, 2 next GC, 3 every GC
  // kNow is answered at once and never stands here.
  std::atomic<MapWish> java_maps{MapWish{}};    // HPSG, HPSO
  std::atomic<MapWish> native_maps{MapWish{}};  // NHSG
  // When one of the last three was set: collections before are none that it tells of.
  std::atomic<std::chrono::steady_clock::time_point> told_of_collections_since{};
};

class Session {
 public:
  virtual ~Session() = default;

  virtual std::uint64_t id() const = 0;  // 1, 2, 3, ... never used again
  virtual bool is_open() const = 0;

  // An event: a chunk that nobody asked for.
  virtual void send_event(Chunk chunk) = 0;

  // Whole packets, as they are: from the debugger back end, or an EventBundle's.
  virtual void send_packets(Bytes packets) = 0;
  virtual void send_stored(std::shared_ptr<const StoredData> packets) = 0;

  // For a thread that carries on what somebody else sends: waits until the peer has read most of
  // what it was sent before. False: it has not within `limit`, or the session is closed.
  virtual bool wait_for_room(std::chrono::milliseconds limit) = 0;

  // The peer has read most of what it was sent before. While it has not, it is sent nothing that
  // it can do without, and its requests wait.
  bool has_room() { return wait_for_room(std::chrono::milliseconds::zero()); }

  // Chunks may be packed as ZLIB.
  virtual bool takes_zlib() const = 0;

  // Ends the connection as soon as the I/O thread gets to it.
  virtual void close() = 0;

  SessionModes modes;

  // The peer has sent a ZLIB chunk, so it may be sent one.
  std::atomic<bool> understands_zlib{false};

  // Answers in memory that wait for the others of their packet.
  std::atomic<std::size_t> answer_bytes{0};
};

using SessionPtr = std::shared_ptr<Session>;

}  // namespace ddm
