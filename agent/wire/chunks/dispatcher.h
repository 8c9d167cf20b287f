// Routes the chunks of a request packet to handlers, and their answers into one reply packet.
//
// A packet's chunks are handled in order, each after the previous one was answered (HPGC, then
// HPIF). Packets wait for their turn in a lane, not for each other. A type without a handler gets
// the empty answer; a payload that is no chunk, and a ZLIB chunk that cannot be expanded, get FAIL.
// Expanding takes time, so a ZLIB chunk is never handled inline.
//
// The cost of a packet is bounded: its ZLIB chunks expand to at most kMaxExpanded in total, and
// once its answers exceed kMaxAnswers, the remaining chunks are answered with FAIL and not handled.
//
// The reply to one chunk is that chunk's answer; an empty answer is an empty packet. The reply to
// several chunks has one chunk for each, an empty answer being a chunk of the request's type
// without data; if all are empty, so is the packet.
//
// Any thread may call anything. A Dispatcher and its Executor outlive every Reply.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/chunks/reply.h"
#include "wire/chunks/session.h"

namespace ddm {

// The thread that a handler runs on.
enum class Lane {
  kInline,  // the I/O thread, immediately: no JNI, no long-held locks, no blocking
  kQuick,   // the thread for quick requests; may use JNI
  kSlow,    // the thread for long requests: heap dumps, REAL
};

// An unanswered request, which a watcher of its thread may refuse. Any thread.
class OpenRequest {
 public:
  virtual ~OpenRequest() = default;
  virtual bool answered() const = 0;
  // Answers the request with FAIL and this reason, unless it has an answer.
  virtual void refuse(std::string_view reason) = 0;
};

// Runs tasks in lanes. Within a lane a session's tasks keep their order; those of different
// sessions have none. Sessions whose send queue is full may be skipped.
class Executor {
 public:
  virtual ~Executor() = default;
  // Never blocks. A task that is destroyed without having run answers its request with FAIL. A task
  // of a closed session may be destroyed without having run.
  virtual void run(Lane lane, const SessionPtr& session, std::function<void()> task) = 0;
  // A session's send queue has room again, or the session was closed.
  virtual void resume() {}
  // Another thread will answer this request later. Never blocks.
  virtual void answered_later(std::weak_ptr<OpenRequest>) {}
};

struct Request {
  SessionPtr session;
  ChunkType type = 0;
  Bytes data;
  std::chrono::steady_clock::time_point asked{};  // when the packet's previous chunk was answered
};

// The request is valid during the call.
using ChunkHandler = std::function<void(const Request& request, Reply reply)>;

using ReplyDone = std::function<void(std::vector<Chunk> answers)>;

class Dispatcher {
 public:
  static constexpr std::size_t kMaxExpanded = std::size_t{1} << 20;
  static constexpr std::size_t kMaxAnswers = std::size_t{16} << 20;

  // False: the type already has a handler.
  bool add(ChunkType type, Lane lane, ChunkHandler handler);
  template <typename Owner>
  bool add(ChunkType type, Lane lane, Owner* owner, void (Owner::*handler)(const Request&, Reply)) {
    return add(type, lane, [=](const Request& request, Reply reply) {
      (owner->*handler)(request, std::move(reply));
    });
  }
  bool remove(ChunkType type);

  // Adds feature names to FEAT, by which servers know what they can ask for.
  void offer(std::initializer_list<std::string_view> names);
  std::vector<std::string> offered() const;

  // Calls `done` once, on any thread, with the chunks of the reply packet (none: an empty packet);
  // never, if the session closes first.
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
  std::set<std::string, std::less<>> offered_;
};

}  // namespace ddm
