// Threads: THCR, THNM, THDE, THST, THID, STKL. (THEN is in switch_request.h.)
//
// A thread's id here is the agent's own small number, the same in all of these chunks and in REAL.
// People are shown Java's id, which THID gives.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

// THCR and THNM, events.   u4 id, str name
template <ChunkType Type>
struct ThreadNameEvent {
  static constexpr ChunkType kType = Type;
  std::uint32_t id = 0;
  std::string name;
  static constexpr auto kFields = std::tuple(&ThreadNameEvent::id, &ThreadNameEvent::name);
};
using ThreadCreated = ThreadNameEvent<chunk_type("THCR")>;
using ThreadRenamed = ThreadNameEvent<chunk_type("THNM")>;

// THDE (event) and STKL (request).   u4 id
template <ChunkType Type>
struct ThreadIdOnly {
  static constexpr ChunkType kType = Type;
  std::uint32_t id = 0;
  static constexpr auto kFields = std::tuple(&ThreadIdOnly::id);
};
using ThreadDied = ThreadIdOnly<chunk_type("THDE")>;
using StackRequest = ThreadIdOnly<chunk_type("STKL")>;

// Dalvik's numbers, which DDM servers have names for.
enum class ThreadState : std::uint8_t {
  kZombie = 0,
  kRunning = 1,  // or runnable
  kTimedWait = 2,
  kMonitor = 3,
  kWait = 4,
  kInitializing = 5,
  kStarting = 6,
  kNative = 7,
  kVmWait = 8,
  kSuspended = 9,
};

// THST, request. No data: one table now. u4 interval in ms: a periodic list, 0 = stop.
struct ThreadStatusRequest {
  static constexpr ChunkType kType = chunk_type("THST");
  std::optional<std::uint32_t> interval_millis;
  static constexpr auto kFields = std::tuple(&ThreadStatusRequest::interval_millis);
};

// THST, the reply to a request without data.
//
//   u1 header length (4), u1 entry length (18), u2 count
//   count x { u4 id, u1 state, u4 OS thread id, u4 utime, u4 stime, u1 daemon }
//
// Times are ticks of 1/100 s. A reader skips the excess of longer headers and entries, and accepts
// an entry of 17 bytes, which has no daemon.
struct ThreadStatusTable {
  static constexpr ChunkType kType = chunk_type("THST");
  static constexpr std::size_t kMaxEntries = 32767;  // real servers read the count as signed
  struct Entry {
    std::uint32_t id = 0;
    ThreadState state = ThreadState::kRunning;
    std::uint32_t os_id = 0;
    std::uint32_t user_ticks = 0;
    std::uint32_t system_ticks = 0;
    bool daemon = false;
    static constexpr auto kFields =
        std::tuple(&Entry::id, &Entry::state, &Entry::os_id, &Entry::user_ticks,
                   &Entry::system_ticks, &Entry::daemon);
  };
  std::vector<Entry> entries;

  Bytes encode() const;
  static std::optional<ThreadStatusTable> decode(ByteSpan data);
  friend bool operator==(const ThreadStatusTable&, const ThreadStatusTable&) = default;
};

// THID, a DDM extension: the Java ids of the live threads. The request has no data.
//
//   u4 count, count x { u4 id, u8 Thread.getId(), as jstack and reports show it }
struct JavaThreadIds {
  static constexpr ChunkType kType = chunk_type("THID");
  struct Entry {
    std::uint32_t id = 0;
    std::int64_t java_id = 0;
    static constexpr auto kFields = std::tuple(&Entry::id, &Entry::java_id);
  };
  std::vector<Entry> entries;
  static constexpr auto kFields = std::tuple(&JavaThreadIds::entries);
};
inline constexpr std::string_view kJavaThreadIdsFeature = "java-thread-ids";  // in FEAT

// THST, the periodic event of 2007.   u4 count, count x { u4 id, u1 state, u1 suspended }
struct ThreadStatusList {
  static constexpr ChunkType kType = chunk_type("THST");
  struct Entry {
    std::uint32_t id = 0;
    ThreadState state = ThreadState::kRunning;
    bool suspended = false;
    static constexpr auto kFields = std::tuple(&Entry::id, &Entry::state, &Entry::suspended);
  };
  std::vector<Entry> entries;
  static constexpr auto kFields = std::tuple(&ThreadStatusList::entries);
};

// STKL, the reply.
//
//   u4 0, u4 id, u4 count, count x { str class, str method, str file, s4 line }
//
// Innermost frame first; dotted class names; file "" = unknown; line -2 native, -1 unknown.
struct ThreadStack {
  static constexpr ChunkType kType = chunk_type("STKL");
  struct Frame {
    std::string class_name, method, file;
    std::int32_t line = -1;
    static constexpr auto kFields =
        std::tuple(&Frame::class_name, &Frame::method, &Frame::file, &Frame::line);
  };
  std::uint32_t id = 0;
  std::vector<Frame> frames;
  static constexpr auto kFields =
      std::tuple(ReservedField{}, &ThreadStack::id, &ThreadStack::frames);
};

}  // namespace ddm
