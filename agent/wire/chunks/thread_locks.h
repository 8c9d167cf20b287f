// THLK, a DDM extension: the stacks of all threads at one moment, with the locks that they hold and
// wait for. The request has no data.
//
//   u4 n, n x { u8 Java's id, str name, u1 waits, [lock, u8 owner's id, str owner,] if waits is not 0
//               u4 f, f x { str class, str method, str file, s4 line },
//               u4 h, h x { lock, s4 frame } }
//   lock = { str class, u4 identity hash code }
//
// Innermost frame first, as in STKL; `frame` is the one that entered the monitor, -1 = unknown
// (native code). Owner id 0: unowned or unknown. Virtual threads are not included.
#pragma once

#include "wire/chunks/thread_chunks.h"

namespace ddm {

struct ThreadLocks {
  static constexpr ChunkType kType = chunk_type("THLK");
  enum class Waits : std::uint8_t { kNot = 0, kEnter = 1, kWait = 2, kPark = 3 };
  struct Lock {
    std::string class_name;
    std::uint32_t hash = 0;
    static constexpr auto kFields = std::tuple(&Lock::class_name, &Lock::hash);
  };
  struct Held {
    Lock lock;
    std::int32_t frame = -1;
    static constexpr auto kFields = std::tuple(&Held::lock, &Held::frame);
  };
  struct Thread {
    std::int64_t java_id = 0;
    std::string name;
    Waits waits = Waits::kNot;
    Lock lock;  // the lock that it waits for
    std::int64_t owner_id = 0;
    std::string owner;
    std::vector<ThreadStack::Frame> frames;
    std::vector<Held> held;
    static constexpr auto kFields = std::tuple(
        &Thread::java_id, &Thread::name, UpTo{&Thread::waits, Waits::kPark},
        OnlyWith{&Thread::waits, std::tuple(&Thread::lock, &Thread::owner_id, &Thread::owner)},
        &Thread::frames, &Thread::held);
  };
  std::vector<Thread> threads;
  static constexpr auto kFields = std::tuple(&ThreadLocks::threads);
};
inline constexpr std::string_view kThreadLocksFeature = "thread-locks";  // in FEAT

}  // namespace ddm
