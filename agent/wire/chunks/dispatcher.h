// From request packets to handlers and back to one reply packet each.
//
// A packet's chunks are handled one after the other: the next one starts when the one before is
// answered, so that their order means something (HPGC, then HPIF). Packets do not wait for one
// another, but for their turn in a lane. A type without a handler gets the empty answer; a payload
// that is no chunk, and a ZLIB chunk that cannot be unpacked, gets FAIL. Unpacking takes time, so
// what comes as ZLIB is not handled inline.
//
// What one packet costs is bounded, however little it weighs: its ZLIB chunks together expand to
// kMaxExpanded, and when its answers have become more than kMaxAnswers, the chunks that are left
// are answered with FAIL and not handled.
//
// The reply to one chunk is that chunk's answer, where an empty answer is an empty packet. The
// reply to several chunks has one chunk for each, an empty answer being a chunk of the request's
// type without data; if all are empty, so is the packet.
//
// Any thread may call anything. A Dispatcher and its Executor outlive every Reply.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "wire/chunks/reply.h"
#include "wire/chunks/session.h"

namespace ddm {

// Where a handler runs.
enum class Lane {
  kInline,  // at once, on the I/O thread: no JNI, no locks held long, no waiting
  kQuick,   // the thread for requests; may use JNI
  kSlow,    // the thread for what takes long: heap dumps, REAL
};

// A request that is not answered yet, for whoever sees that its thread cannot go on. Any thread.
class OpenRequest {
 public:
  virtual ~OpenRequest() = default;
  virtual bool answered() const = 0;
  // Is answered with this sentence as the reason, if it has no answer yet.
  virtual void refuse(std::string_view reason) = 0;
};

// Given by whoever owns the threads. In each lane a session's tasks keep their order; between
// sessions there is none. A session that has no room for answers may be passed over.
class Executor {
 public:
  virtual ~Executor() = default;
  // Never waits. A task that is destroyed without having run answers its request with FAIL.
  virtual void run(Lane lane, const SessionPtr& session, std::function<void()> task) = 0;
  // A session that had no room has some again, or is closed.
  virtual void resume() {}
  // Another thread answers this one, later. Never waits.
  virtual void answered_later(std::weak_ptr<OpenRequest>) {}
};

struct Request {
  SessionPtr session;
  ChunkType type = 0;
  Bytes data;
  std::chrono::steady_clock::time_point asked = {};  // when its turn within its packet came
};

// The request lives as long as the call.
using ChunkHandler = std::function<void(const Request& request, Reply reply)>;

using ReplyDone = std::function<void(std::vector<Chunk> answers)>;

class Dispatcher {
 public:
  static constexpr std::size_t kMaxExpanded = std::size_t{1} << 20;
  static constexpr std::size_t kMaxAnswers = std::size_t{16} << 20;

  // False: the type has a handler already.
  bool add(ChunkType type, Lane lane, ChunkHandler handler);
  template <typename Room>
  bool add(ChunkType type, Lane lane, Room* room, void (Room::*handler)(const Request&, Reply)) {
    return add(type, lane, [=](const Request& request, Reply reply) {
      (room->*handler)(request, std::move(reply));
    });
  }
  bool remove(ChunkType type);

  // Ends in one call of `done`, from any thread, with the chunks of the reply packet (none: an
  // empty one); in no call at all when the session closes before.
  void dispatch(const SessionPtr& session, Bytes payload, Executor& executor, ReplyDone done);

 private:
  friend class Exchange;
  struct Entry {
    Lane lane;
    ChunkHandler handler;
  };
  std::shared_ptr<const Entry> find(ChunkType type) const;

  mutable std::mutex mutex_;
  std::map<ChunkType, std::shared_ptr<const Entry>> entries_;
};

}  // namespace ddm
